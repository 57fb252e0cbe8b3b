// Unusual messages, modeled on what real mail programs send, each with the expected result of parsing.

import type { Awkward } from './broken-messages.ts';
import { broken_messages } from './broken-messages.ts';

const lines = (...text: string[]) => `${text.join('\r\n')}\r\n`;
const bytes = (...parts: (string | number[])[]) =>
  Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : Buffer.from(part))));
const head = (...more: string[]) => lines('From: Bob <bob@example.org>', 'To: ana@example.com', ...more);
const base64 = (text: string | Buffer) => Buffer.from(text).toString('base64').replaceAll(/.{76}/g, '$&\r\n');

const tnef = (() => {
  const attribute = (level: number, tag: number, data: Buffer) => {
    const header = Buffer.alloc(9);
    header.writeUInt8(level, 0);
    header.writeUInt32LE(tag, 1);
    header.writeUInt32LE(data.length, 5);
    const sum = Buffer.alloc(2);
    sum.writeUInt16LE(data.reduce((total, byte) => (total + byte) & 0xffff, 0));
    return Buffer.concat([header, data, sum]);
  };
  const start = Buffer.alloc(6);
  start.writeUInt32LE(0x223e9f78, 0);
  return Buffer.concat([
    start,
    attribute(1, 0x00089006, Buffer.from([0, 0, 1, 0])),
    attribute(2, 0x00069002, Buffer.alloc(14)),
    attribute(2, 0x00018010, Buffer.from('report.txt\0')),
    attribute(2, 0x0006800f, Buffer.from('the figures')),
    attribute(2, 0x00069002, Buffer.alloc(14)),
    attribute(2, 0x00018010, Buffer.from('..\\..\\evil.exe\0')),
    attribute(2, 0x0006800f, Buffer.from('MZ')),
  ]);
})();

const long_file = Buffer.alloc(300_000, 'The quick brown fox jumps over the lazy dog. ');

const messages: Awkward[] = [
  { name: 'an empty message', raw: Buffer.alloc(0), expected: { subject: '', from: null, files: [] } },
  { name: 'one empty line', raw: Buffer.from('\r\n'), expected: { subject: '', from: null } },
  { name: 'headers without a body', raw: bytes(head('Subject: Short')), expected: { subject: 'Short' } },
  {
    name: 'a body without headers',
    raw: bytes('\r\nJust words.\r\n'),
    expected: { subject: '', text: /Just words/ },
  },
  {
    name: 'declared latin-1, in headers and body',
    raw: bytes(
      head('Subject: =?iso-8859-1?Q?Gr=FC=DFe?=', 'Content-Type: text/plain; charset=iso-8859-1'),
      '\r\n',
      [0x46, 0xfc, 0x72, 0x20, 0x64, 0x69, 0x63, 0x68],
    ),
    expected: { subject: 'Grüße', text: /Für dich/ },
  },
  {
    name: 'an unknown charset',
    raw: bytes(head('Subject: ?', 'Content-Type: text/plain; charset=klingon-7'), '\r\nnuqneH\r\n'),
    expected: { text: /nuqneH/ },
  },
  {
    name: 'UTF-8 that is declared as ASCII',
    raw: bytes(
      head('Subject: Grüße an alle', 'Content-Type: text/plain; charset=us-ascii'),
      '\r\nFür dich\r\n',
    ),
    expected: { subject: 'Grüße an alle', text: /dich/ },
  },
  {
    name: 'broken UTF-8, a NUL and a lone surrogate',
    raw: bytes(head('Subject: A\0B =?utf-8?B?7aCA?='), '\r\n', [0xff, 0xfe, 0x00, 0x41, 0xc3], '\r\n'),
    expected: { text: /A/ },
  },
  {
    name: 'Japanese in ISO-2022-JP',
    raw: bytes(
      head('Subject: =?ISO-2022-JP?B?GyRCRnxLXBsoQg==?=', 'Content-Type: text/plain; charset=ISO-2022-JP'),
      '\r\n\x1b$BF|K\\\x1b(B\r\n',
    ),
    expected: { subject: '日本', text: /日本/ },
  },
  {
    name: 'an encoded word that is split inside a character',
    raw: bytes(head('Subject: =?utf-8?Q?Gr=C3?= =?utf-8?Q?=BC=C3=9Fe?='), '\r\nx\r\n'),
    expected: { subject: 'Grüße' },
  },
  {
    name: 'quoted-printable with bad escapes and soft line ends',
    raw: bytes(
      head('Content-Type: text/plain; charset=utf-8', 'Content-Transfer-Encoding: quoted-printable'),
      '\r\n50=25 off =ZZ and a long=\r\n line=',
    ),
    expected: { text: /50% off .*a long line/ },
  },
  {
    name: 'base64 with junk, spaces and no padding',
    raw: bytes(
      head('Content-Type: text/plain', 'Content-Transfer-Encoding: base64'),
      '\r\nSGVs bG8s\r\n!!IHdvcmxk\r\nLg\r\n',
    ),
    expected: { text: /Hello/ },
  },
  {
    name: 'a picture inside HTML',
    raw: bytes(
      head('MIME-Version: 1.0', 'Content-Type: multipart/related; boundary="r"'),
      lines(
        '',
        '--r',
        'Content-Type: text/html; charset=utf-8',
        '',
        '<p>Look: <img src="cid:pic@x"></p>',
        '--r',
        'Content-Type: image/png; name="pic.png"',
        'Content-ID: <pic@x>',
        'Content-Disposition: inline',
        'Content-Transfer-Encoding: base64',
        '',
        base64('PNGDATA'),
        '--r--',
      ),
    ),
    expected: { html: /Look/, files: [['pic.png', 'PNGDATA']] },
  },
  {
    name: 'an invitation to a meeting',
    raw: bytes(
      head('Content-Type: multipart/alternative; boundary=a'),
      lines(
        '',
        '--a',
        'Content-Type: text/plain',
        '',
        'Please come.',
        '--a',
        'Content-Type: text/calendar; method=REQUEST; charset=utf-8',
        '',
        'BEGIN:VCALENDAR',
        'METHOD:REQUEST',
        'END:VCALENDAR',
        '--a--',
      ),
    ),
    expected: { text: /Please come/, files: [['invite.ics', 'BEGIN:VCALENDAR']] },
  },
  {
    name: 'three nested messages',
    raw: bytes(
      head('Subject: Fwd', 'Content-Type: multipart/mixed; boundary=m'),
      lines(
        '',
        '--m',
        'Content-Type: text/plain',
        '',
        'See below.',
        '--m',
        'Content-Type: message/rfc822',
        '',
        'Subject: Inner',
        'Content-Type: multipart/mixed; boundary=n',
        '',
        '--n',
        'Content-Type: message/rfc822',
        '',
        'Subject: Innermost',
        '',
        'Deep words.',
        '--n--',
        '--m--',
      ),
    ),
    expected: { text: /^See below/, files: [['message.eml', 'Subject: Inner']] },
  },
  {
    name: 'winmail.dat with files, one with a path as its name',
    raw: bytes(
      head('Content-Type: multipart/mixed; boundary=w'),
      lines(
        '',
        '--w',
        'Content-Type: text/plain',
        '',
        'From Outlook.',
        '--w',
        'Content-Type: application/ms-tnef; name="winmail.dat"',
        'Content-Transfer-Encoding: base64',
        '',
        base64(tnef),
        '--w--',
      ),
    ),
    expected: {
      text: /Outlook/,
      files: [
        ['winmail.dat', tnef.subarray(0, 4)],
        ['report.txt', 'the figures'],
        ['evil.exe', 'MZ'],
      ],
    },
  },
  {
    name: 'a boundary that is never closed',
    raw: bytes(
      head('Content-Type: multipart/mixed; boundary=lost'),
      lines('', '--lost', 'Content-Type: text/plain', '', 'Half a letter'),
    ),
    expected: { text: /Half a letter/ },
  },
  {
    name: 'a multipart without a boundary',
    raw: bytes(head('Content-Type: multipart/mixed'), '\r\nSome words anyway.\r\n'),
    expected: { subject: '' },
  },
  {
    name: 'two bodies side by side',
    raw: bytes(
      head('Content-Type: multipart/mixed; boundary=s'),
      lines(
        '',
        '--s',
        'Content-Type: text/plain',
        '',
        'One.',
        '--s',
        'Content-Type: text/plain',
        '',
        'Two.',
        '--s--',
      ),
    ),
    expected: { text: /One\.[\s\S]*Two\./ },
  },
  {
    name: 'file names in all old and new encodings',
    raw: bytes(
      head('Content-Type: multipart/mixed; boundary=f'),
      lines(
        '',
        '--f',
        "Content-Disposition: attachment; filename*0*=utf-8''M%C3%BC; filename*1*=ller.pdf",
        '',
        'A',
        '--f',
        'Content-Disposition: attachment; filename="=?utf-8?B?w4RwZmVsLnR4dA==?="',
        '',
        'B',
        '--f',
        'Content-Disposition: attachment; filename="../../etc/passwd"',
        '',
        'C',
        '--f',
        'Content-Disposition: attachment',
        'Content-Type: application/x;evil',
        '',
        'D',
        '--f--',
      ),
    ),
    expected: {
      files: [
        ['Müller.pdf', 'A'],
        ['Äpfel.txt', 'B'],
        ['passwd', 'C'],
        ['attachment-4', 'D'],
      ],
    },
  },
  {
    name: 'addresses with groups, quotes and comments',
    raw: bytes(
      lines(
        'From: "O\'Brien, Pat" <pat@example.org>',
        'To: Friends: ana@example.com, Bo <bo@example.com>;, "x@y" <z@example.com>',
        'Subject: Groups',
        '',
        'x',
      ),
    ),
    expected: {
      from: 'pat@example.org',
      from_name: "O'Brien, Pat",
      to: ['ana@example.com', 'bo@example.com', 'z@example.com'],
    },
  },
  {
    name: 'no sender',
    raw: bytes(lines('To: undisclosed-recipients:;', 'Subject: Ghost', '', 'Boo')),
    expected: { from: null, to: [], subject: 'Ghost' },
  },
  {
    name: 'two senders and two subjects',
    raw: bytes(lines('From: a@example.org', 'From: b@example.org', 'Subject: One', 'Subject: Two', '', 'x')),
    expected: {},
  },
  {
    name: 'a header that is folded a thousand times',
    raw: bytes(`Subject: Begin${'\r\n more'.repeat(1000)}\r\n\r\nx\r\n`),
    expected: { text: /x/ },
  },
  {
    name: 'a long file in base64 between other parts',
    raw: bytes(
      head('Subject: Long', 'Content-Type: multipart/mixed; boundary=l'),
      lines(
        '',
        '--l',
        'Content-Type: text/plain',
        '',
        'Before.',
        '--l',
        'Content-Type: application/pdf; name=long.pdf',
        'content-transfer-encoding: BASE64',
        'Content-Disposition: attachment',
        '',
        base64(long_file),
        '--l',
        'Content-Type: text/plain; name=short.txt',
        'Content-Disposition: attachment',
        'Content-Transfer-Encoding: base64',
        '',
        base64('short'),
        '--l--',
      ),
    ),
    expected: {
      text: /^Before/,
      files: [
        ['long.pdf', long_file],
        ['short.txt', 'short'],
      ],
    },
  },
  {
    name: 'a long file inside a nested message',
    raw: bytes(
      head('Content-Type: multipart/mixed; boundary=o'),
      lines(
        '',
        '--o',
        'Content-Type: message/rfc822',
        '',
        'Subject: Inner',
        'Content-Type: application/pdf',
        'Content-Transfer-Encoding: base64',
        '',
        base64(long_file),
        '--o--',
      ),
    ),
    expected: {
      files: [
        [
          'message.eml',
          `Subject: Inner\r\nContent-Type: application/pdf\r\nContent-Transfer-Encoding: base64\r\n\r\n${base64(long_file)}`,
        ],
      ],
    },
  },
  {
    name: 'a long text in base64',
    raw: bytes(
      head('Content-Type: text/plain; charset=utf-8', 'Content-Transfer-Encoding: base64'),
      '\r\n',
      base64(long_file),
    ),
    expected: { text: /^The quick[\s\S]*lazy dog/, files: [] },
  },
  {
    name: 'a long text that looks like base64',
    raw: bytes(head('Subject: Words'), `\r\n${'Content-Transfer-Encoding: base64\r\n'.repeat(20_000)}`),
    expected: { text: /base64/ },
  },
  {
    name: 'a body longer than the record allows',
    raw: bytes(head('Subject: Epic'), `\r\n${'All work and no play.\r\n'.repeat(60_000)}`),
    expected: { text: /^All work/, files: [['body.txt', 'All work']] },
  },
];

export const unusual_messages: Awkward[] = [...messages, ...broken_messages];
