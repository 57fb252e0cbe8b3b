// Messages that violate MIME as real mail programs do, each with the result that the sender meant (M7).

export type Awkward = {
  name: string;
  raw: Buffer;
  expected: {
    subject?: string;
    from?: string | null;
    from_name?: string | null;
    to?: string[];
    text?: RegExp | null;
    html?: RegExp | null;
    /** File names in order, each with the start of its content. */
    files?: [string, string | Buffer][];
  };
};

const lines = (...text: string[]) => `${text.join('\r\n')}\r\n`;
const from = 'From: Bob <bob@example.org>';
const utf8 = (...text: string[]) => Buffer.from(lines(from, ...text));
const latin1 = (...text: string[]) => Buffer.from(lines(from, ...text), 'latin1');
let created = 0;
/** A base64 text between two lines with this boundary. */
const coded = (boundary: string, ...header: string[]) =>
  utf8(
    ...header,
    `Message-ID: <coded-${++created}@example.org>`,
    '',
    `--${boundary}`,
    'Content-Type: text/plain; charset=utf-8',
    'Content-Transfer-Encoding: base64',
    '',
    'SGVsbG8gdGhlcmU=',
    `--${boundary}--`,
  );
const hello = { text: /^Hello there$/, files: [] };

const utf7: Awkward[] = [
  {
    name: 'a text in UTF-7',
    raw: utf8(
      'Content-Type: text/plain; charset=UTF-7',
      '',
      'Hi Mom -+Jjo--! A+ImIDkQ., +ZeVnLIqe-, 1 +- 1 + 2',
    ),
    expected: { text: /^Hi Mom -☺-! A≢Α\., 日本語, 1 \+ 1 \+ 2/ },
  },
  {
    name: 'a text in UTF-7 under its old name, with a character outside the first plane',
    raw: utf8('Content-Type: text/plain; charset=unicode-1-1-utf-7', '', '+2D3eAA-'),
    expected: { text: /^😀/ },
  },
  {
    name: 'encoded words in UTF-7, in a subject, a name and a file name',
    raw: utf8(
      'Subject: =?utf-7?Q?Gr+APwA3w-e?= =?utf-7?Q?_aus_K+APY-ln?=',
      'To: =?utf-7?B?Wm8rQU9zLQ==?= <zoe@example.com>',
      'Content-Type: application/pdf; name="=?utf-7?Q?Stra+AN8-e.pdf?="',
      '',
      'x',
    ),
    expected: { subject: 'Grüße aus Köln', to: ['zoe@example.com'], files: [['Straße.pdf', 'x']] },
  },
];

const charsets: Awkward[] = [
  {
    name: 'charsets under the names of code pages',
    raw: latin1(
      'Subject: =?cp932?B?k/qWew==?= =?cp-1251?Q?=CF=F0=E8=E2=E5=F2?=',
      'Content-Type: text/plain; charset=cp936',
      '',
      '\xc4\xe3\xba\xc3',
    ),
    expected: { subject: '日本Привет', text: /^你好/ },
  },
  {
    name: 'a charset with a comment behind it',
    raw: latin1('Content-Type: text/plain; charset=iso-8859-2 (Latin 2)', '', '\xb3\xf3d\xbc'),
    expected: { text: /^łódź/ },
  },
];

const eight_bit: Awkward[] = [
  {
    name: 'bytes beyond ASCII inside encoded words',
    raw: latin1('Subject: =?iso-8859-1?Q?Gr\xfc\xdfe?= =?koi8-r?Q?\xf0\xd2\xc9\xd7\xc5\xd4?=', '', 'x'),
    expected: { subject: 'GrüßeПривет' },
  },
  {
    name: 'UTF-8 inside encoded words',
    raw: utf8('Subject: =?utf-8?Q?Grüße_und_=C3=84pfel?=', '', 'x'),
    expected: { subject: 'Grüße und Äpfel' },
  },
  {
    name: 'a field in Latin-1 beside one in UTF-8',
    raw: Buffer.concat([
      Buffer.from('From: "Dà Zoë" <zoe@example.org>\r\nTo: à <à@example.com>\r\n'),
      Buffer.from(lines('Subject: Gr\xfc\xdfe', '', 'x'), 'latin1'),
    ]),
    expected: { subject: 'Grüße', from_name: 'Dà Zoë', to: ['à@example.com'] },
  },
  {
    name: 'a field in the charset of the message',
    raw: latin1(
      'Content-Type: text/plain; charset=koi8-r',
      'Subject: \xf0\xd2\xc9\xd7\xc5\xd4',
      '',
      '\xf0\xd2\xc9',
    ),
    expected: { subject: 'Привет', text: /^При/ },
  },
  {
    name: 'a field in ISO-2022-JP without encoded words',
    raw: latin1('Subject: \x1b$BF|K\\\x1b(B 2026', '', 'x'),
    expected: { subject: '日本 2026' },
  },
  {
    name: 'question marks inside encoded words',
    raw: utf8('Subject: =?utf-8?Q?Really??= =?utf-8?Q?_Yes!?=', '', 'x'),
    expected: { subject: 'Really? Yes!' },
  },
  {
    name: 'a character that is split between two encoded words of a rare charset',
    raw: utf8('Subject: =?cp932?B?k/o=?= =?cp932?B?lg==?= =?cp932?B?ew==?=', '', 'x'),
    expected: { subject: '日本' },
  },
];

const digests: Awkward[] = [
  {
    name: 'a digest, whose parts are messages',
    raw: utf8(
      'Content-Type: multipart/mixed; boundary=o',
      '',
      '--o',
      '',
      'Two letters.',
      '--o',
      'Content-Type: multipart/digest; boundary=b',
      '',
      '--b',
      '',
      'Subject: One',
      '',
      'First words',
      '--b',
      'Content-Type: message/rfc822',
      '',
      'Subject: Two',
      '',
      'Second words',
      '--b--',
      '--o--',
    ),
    expected: {
      text: /^Two letters\.$/,
      files: [
        ['message.eml', 'Subject: One\r\n\r\nFirst words'],
        ['message.eml', 'Subject: Two\r\n\r\nSecond words'],
      ],
    },
  },
  {
    name: 'a digest with a part that is declared as text',
    raw: utf8(
      'Content-Type: multipart/digest; boundary=b',
      '',
      '--b',
      'Content-Type: text/plain',
      '',
      'Contents',
      '--b',
      '',
      'Subject: One',
      '',
      'Words',
      '--b--',
    ),
    expected: { text: /^Contents$/, files: [['message.eml', 'Subject: One']] },
  },
];

const boundaries: Awkward[] = [
  {
    name: 'a boundary that ends in dashes',
    raw: coded('a--', 'Content-Type: multipart/mixed; boundary="a--"'),
    expected: hello,
  },
  {
    name: 'a boundary that is the one outside with dashes behind it',
    raw: utf8(
      'Content-Type: multipart/mixed; boundary="a"',
      '',
      '--a',
      'Content-Type: multipart/alternative; boundary="a--"',
      '',
      '--a--',
      'Content-Type: text/plain',
      '',
      'Inner text',
      '--a--',
      'Content-Type: text/html',
      '',
      '<p>Inner page</p>',
      '--a----',
      '--a',
      'Content-Type: text/plain',
      '',
      'Footer',
      '--a--',
      'Nothing of this is part of the letter.',
    ),
    expected: { text: /^Inner text\nFooter$/, html: /^<p>Inner page<\/p>\n<div>Footer<\/div>$/, files: [] },
  },
  {
    name: 'no semicolon before the boundary',
    raw: coded('b', 'Content-Type: multipart/mixed boundary="b"'),
    expected: hello,
  },
  {
    name: 'no semicolon before a boundary on a line of its own',
    raw: coded('b', 'Content-Type: multipart/mixed', '\tboundary=b'),
    expected: hello,
  },
  {
    name: 'no semicolon between the charset and the boundary',
    raw: coded('b', 'Content-Type: multipart/mixed; charset="utf-8" boundary="b"'),
    expected: hello,
  },
  {
    name: 'no semicolon and no quotes between the charset and the boundary',
    raw: coded('=_b', 'Content-Type: multipart/mixed; charset=utf-8 boundary==_b type=x'),
    expected: hello,
  },
  { name: 'no boundary at all', raw: coded('b', 'Content-Type: multipart/mixed'), expected: hello },
  {
    name: 'a file name without quotes and with blanks',
    raw: utf8(
      'Content-Type: application/pdf',
      'Content-Disposition: attachment; filename=My new file.pdf; size=1',
      '',
      'x',
    ),
    expected: { files: [['My new file.pdf', 'x']] },
  },
];

const encodings: Awkward[] = [
  {
    name: 'base64 with padding in the middle',
    raw: utf8('Content-Type: text/plain', 'Content-Transfer-Encoding: base64', '', 'SGk=', 'SG8=', ''),
    expected: { text: /^HiHo$/ },
  },
  {
    name: 'a long file in base64 with padding in the middle',
    raw: utf8(
      'Content-Type: image/x; name=a.bin',
      'Content-Transfer-Encoding: base64',
      '',
      'SGk=',
      ...Array.from({ length: 1000 }, () => 'YWJj'.repeat(19)),
      'SG8=',
    ),
    expected: { files: [['a.bin', `Hi${'abc'.repeat(19_000)}Ho`]] },
  },
  {
    name: 'quoted-printable with stray equals signs and blanks at the ends of lines',
    raw: utf8(
      'Content-Type: text/plain; charset=utf-8',
      'Content-Transfer-Encoding: quoted-printable',
      '',
      'a=3Db=zz =C3=BC soft= ',
      'break=',
      '',
    ),
    expected: { text: /^a=b=zz ü softbreak/ },
  },
];

export const broken_messages: Awkward[] = [
  ...utf7,
  ...charsets,
  ...eight_bit,
  ...digests,
  ...boundaries,
  ...encodings,
].map((each) => ({ ...each, name: `${each.name} (M7)` }));
