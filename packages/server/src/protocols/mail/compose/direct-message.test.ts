// A composed message has the same text for the receiver as the caller supplied, and its signature verifies.
import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { Readable } from 'node:stream';
import { after, describe, test } from 'node:test';
import fc from 'fast-check';
import { authenticate } from 'mailauth';
import PostalMime from 'postal-mime';
import { composeMail } from '../../../features/channels/emails/send/message/compose.ts';
import { signer } from '../../../features/channels/emails/send/message/signer.ts';
import type { Composition } from './composition.ts';
import { directMessage } from './direct-message.ts';

const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const public_key = publicKey.export({ type: 'spki', format: 'der' }).toString('base64');
const signing = { domain: 'sender.example', selector: 's', key: privateKey };
const { sign, close } = signer();
after(close);

const composition = (change: Partial<Composition> = {}): Composition => ({
  email_id: '019a8c1e-8d20-7b55-a1c3-6e7f80911223',
  message_id: '<x@sender.example>',
  date: new Date('2026-11-16T08:00:00Z'),
  from: { name: '', address: 'a@sender.example' },
  to: [{ name: '', address: 'b@example.org' }],
  cc: [],
  reply_to: null,
  subject: 'Hello',
  text: 'Hello',
  html: null,
  in_reply_to: null,
  references: [],
  headers: {},
  attachments: [],
  ...change,
});

async function verdict(raw: Buffer): Promise<string> {
  const resolver = async (name: string, type: string) => {
    if (type === 'TXT' && name === 's._domainkey.sender.example')
      return [[`v=DKIM1; k=rsa; p=${public_key}`]];
    throw Object.assign(new Error('none'), { code: 'ENOTFOUND' });
  };
  const options = { ip: '127.0.0.1', helo: 'x.test', sender: 'a@sender.example', resolver, disableArc: true };
  const { dkim } = await authenticate(raw, options as never);
  return (dkim.results[0] as { status: { result: string } }).status.result;
}

/** Composes and signs a message, checks its bytes and signature, and parses it as a receiver would. */
async function received(change: Partial<Composition>, is_direct = true) {
  const input = composition(change);
  assert.equal(directMessage(input) !== null, is_direct);
  const composed = await composeMail(input, signing, { unsigned: [], sign });
  const raw = composed.content();
  assert.ok(Buffer.isBuffer(raw));
  assert.equal(raw.length, composed.size_bytes);
  assert.equal(await verdict(raw), 'pass');
  const wire = raw.toString('latin1');
  if (is_direct) {
    assert.match(wire, /^[\t\r\n\x20-\x7e]*$/);
    assert.doesNotMatch(wire, /\r(?!\n)|(?<!\r)\n/);
    for (const line of wire.split('\r\n'))
      assert.ok(line.length <= 998, `a line of ${line.length} characters`);
  }
  assert.ok(wire.endsWith('\r\n'));
  return { wire, parsed: await PostalMime.parse(raw) };
}

/** Makes all line breaks LF and drops the last one, which every message adds. */
const normalized = (text: string | undefined) =>
  (text ?? '').replaceAll(/\r\n|\r|\n/g, '\n').replace(/\n$/, '');

const awkward_texts = {
  'plain text': 'Hello\nworld\n',
  nothing: '',
  'only line ends': '\n\n\n',
  'line ends of every kind': 'one\rtwo\r\nthree\nfour\n\rfive',
  'trailing blanks': 'two blanks  \n\ttab\t\n   \nend ',
  'leading dots': '.\n..\n.dot\n',
  'a line over 998 characters': `${'word '.repeat(400)}\n${'x'.repeat(2500)}`,
  'lines around the limit': [74, 75, 76, 77, 78, 150, 151, 152].map((size) => 'y'.repeat(size)).join('\n'),
  'equal signs': `a=b =3D ==\n${'='.repeat(200)}`,
  'text that looks like a boundary':
    '--=_019a8c1e8d207b55a1c36e7f80911223--\n--=_019a8c1e8d207b55a1c36e7f80911223',
  'a line that mbox files escape': 'From here\nFrom there\n>From elsewhere',
  'letters with accents': `Grüße aus Köln, señor. ${'Straße '.repeat(40)}`,
  'a long word with accents': 'aaaaaaé'.repeat(80),
  'another script': 'Здравствуйте, это письмо. '.repeat(30),
  'right to left': 'שלום עולם\nمرحبا بالعالم',
  'emoji of several parts': `ok ${'👩‍👩‍👧‍👦🇵🇹'.repeat(40)} and much more Latin text around it, so that it is quoted. ${'x'.repeat(900)} 👍🏽`,
  'control characters': 'bell \x07, null \x00, escape \x1b[31m, form feed \f, delete \x7f',
};

describe('a message composed without the library', () => {
  for (const [what, text] of Object.entries(awkward_texts)) {
    test(`keeps its text and verifies: ${what}`, async () => {
      const alone = await received({ text });
      assert.equal(normalized(alone.parsed.text), normalized(text));
      const html = `<p>${text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')}</p>`;
      const both = await received({ text: text || null, html });
      if (text) assert.equal(normalized(both.parsed.text), normalized(text));
      assert.equal(normalized(both.parsed.html), normalized(html));
    });
  }

  test('keeps any text', async () => {
    const unit = fc.oneof(
      fc.constantFrom(' ', '\t', '\r', '\n', '\r\n', '=', '.', '-', 'é', '好', '😀'),
      fc.string(),
    );
    const text = fc.array(unit, { maxLength: 300 }).map((units) => units.join('').replaceAll('\x00', ''));
    await fc.assert(
      fc.asyncProperty(text, async (input) => {
        assert.equal(normalized((await received({ text: input })).parsed.text), normalized(input));
      }),
      { numRuns: 60 },
    );
  });

  const awkward_lines = {
    'plain text': 'Order 17',
    'a very long line': 'a subject that goes on and on '.repeat(30).trim(),
    'a word that cannot be folded': 'z'.repeat(998),
    'many blanks': `some${' '.repeat(90)}gap`,
    'text that looks encoded': '=?utf-8?Q?no?= =?x',
    quotes: 'He said "yes\\no"',
    accents: 'Grüße an alle, mit Umlauten und sehr viel Text dahinter, der gefaltet werden muss',
    'another script': '你好，这是一封很长的邮件标题。'.repeat(12),
    'right to left': 'שלום עולם مرحبا',
    emoji: '👩‍👩‍👧‍👦 family 🇵🇹',
  };
  for (const [what, line] of Object.entries(awkward_lines)) {
    test(`keeps subject, names and fields: ${what}`, async () => {
      const name = line.slice(0, 200).trim();
      const { parsed, wire } = await received({
        subject: line,
        from: { name, address: 'a@sender.example' },
        to: [
          { name, address: 'b@example.org' },
          { name: '', address: 'c+d@example.org' },
        ],
        headers: { 'X-Ticket': line },
      });
      assert.equal(parsed.subject, line);
      assert.deepEqual(
        [parsed.from, ...parsed.to!].map((each) => [each!.name, each!.address]),
        [
          [name, 'a@sender.example'],
          [name, 'b@example.org'],
          ['', 'c+d@example.org'],
        ],
      );
      const header = wire.slice(0, wire.indexOf('\r\n\r\n'));
      assert.match(header, /^X-Ticket: /m);
    });
  }

  test('keeps all recipients, thread references and the date', async () => {
    const { parsed, wire } = await received({
      cc: [{ name: 'Carol, the third', address: 'carol@example.org' }],
      reply_to: { name: '', address: 'desk@sender.example' },
      in_reply_to: '<2@example.org>',
      references: Array.from({ length: 40 }, (_, at) => `<${at}-${'r'.repeat(40)}@example.org>`),
      headers: { 'List-Unsubscribe': `<https://sender.example/t/u/${'k'.repeat(120)}>` },
    });
    assert.deepEqual(
      [parsed.cc![0]!.name, parsed.cc![0]!.address],
      ['Carol, the third', 'carol@example.org'],
    );
    assert.equal(parsed.replyTo![0]!.address, 'desk@sender.example');
    assert.equal(parsed.messageId, '<x@sender.example>');
    assert.equal(parsed.inReplyTo, '<2@example.org>');
    assert.equal(parsed.references!.split(/\s+/).length, 40);
    assert.equal(new Date(parsed.date!).toISOString(), '2026-11-16T08:00:00.000Z');
    assert.match(wire, /^MIME-Version: 1\.0\r$/m);
  });

  test('does not let a line break in a value add a header field', async () => {
    const { parsed } = await received({
      subject: 'Hi\r\nBcc: eve@example.org',
      headers: { 'X-A': 'b\nX-Evil: 1' },
    });
    assert.equal(parsed.bcc, undefined);
    assert.ok(!parsed.headers.some(({ key }) => key === 'x-evil'));
  });
});

test('a message with an attachment or a non-ASCII address is composed by the library and also verifies', async () => {
  const file = Buffer.from(awkward_texts['trailing blanks']);
  const attachments = [
    {
      filename: 'Grüße.txt',
      content_type: 'text/plain',
      size_bytes: file.length,
      open: async () => Readable.from([file]),
    },
  ];
  const { parsed } = await received({ text: 'See the file 📎', attachments }, false);
  assert.equal(normalized(parsed.text), 'See the file 📎');
  assert.equal(parsed.attachments[0]!.filename, 'Grüße.txt');
  assert.deepEqual(Buffer.from(parsed.attachments[0]!.content as ArrayBuffer), file);
  const international = await received({ to: [{ name: '', address: 'zoë@example.org' }] }, false);
  assert.equal(international.parsed.to![0]!.address, 'zoë@example.org');
});
