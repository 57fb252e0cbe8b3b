// Unusual, broken and hostile messages neither crash nor delay the parser, and no part is lost.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { unusual_messages } from '../../../../testing/unusual-messages.ts';
import { boundedList, parseMessage } from './parse-message.ts';
import { contentOf } from './pieces.ts';
import { UnreadableMessage } from './structure.ts';

describe('an unusual message is parsed:', () => {
  for (const { name, raw, expected } of unusual_messages) {
    test(name, { timeout: 1000 }, async () => {
      const message = await parseMessage(raw);
      const files = await Promise.all(
        message.attachments.map(async ({ filename, pieces }) => ({
          filename,
          content: await buffer(contentOf(raw, pieces) as never),
        })),
      );
      if (expected.subject !== undefined) assert.equal(message.subject, expected.subject);
      if (expected.from !== undefined) assert.equal(message.from_address, expected.from);
      if (expected.from_name !== undefined) assert.equal(message.from_name, expected.from_name);
      if (expected.to) assert.deepEqual(message.to_addresses, expected.to);
      if (expected.text) assert.match(message.body_text ?? '', expected.text);
      if (expected.html) assert.match(message.body_html ?? '', expected.html);
      if (expected.files) {
        assert.deepEqual(
          files.map(({ filename }) => filename),
          expected.files.map(([filename]) => filename),
        );
        for (const [index, [, content]] of expected.files.entries()) {
          const expected_content = Buffer.from(content as string);
          assert.ok(
            files[index]!.content.subarray(0, expected_content.length).equals(expected_content),
            files[index]!.filename,
          );
        }
      }
      // The result contains no characters that PostgreSQL or JSON cannot store.
      const text = JSON.stringify({
        ...message,
        attachments: message.attachments.map(({ filename }) => filename),
      });
      assert.doesNotMatch(text, /\\u0000|\\ud[89a-f]/i);
    });
  }
});

test('for any bytes the parser returns a result or throws UnreadableMessage', async () => {
  const piece = fc.oneof(
    fc.constantFrom(
      '\r\n',
      '\r\n\r\n',
      '--b\r\n',
      '--b--\r\n',
      'Content-Type: multipart/mixed; boundary=b\r\n',
      'Content-Type: message/rfc822\r\n',
      'Content-Transfer-Encoding: base64\r\n',
      'Subject: =?utf-8?Q?',
      '?=',
      'From: "<<>>@,;:',
      '<',
      '>',
      '\0',
    ),
    fc.uint8Array({ maxLength: 40 }).map((array) => Buffer.from(array).toString('latin1')),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(piece, { maxLength: 60 }), async (pieces) => {
      try {
        parseMessage(Buffer.from(pieces.join(''), 'latin1'));
      } catch (error) {
        if (!(error instanceof UnreadableMessage)) throw error;
      }
    }),
    { numRuns: 500 },
  );
});

test('a list of addresses is read up to 1000 addresses, 4000 separators and 50,000 characters', () => {
  const toOf = (list: string) => parseMessage(Buffer.from(`To: ${list}\r\n\r\nHello`)).to_addresses;
  const people = Array.from({ length: 1001 }, (_, index) => `"Doe, J." <p${index}@example.org>`);
  assert.deepEqual(
    toOf(people.join(', ')),
    people.slice(0, 1000).map((_, index) => `p${index}@example.org`),
  );
  for (const separator of [':', ',', ';']) {
    const many = separator.repeat(250_000);
    assert.equal(boundedList(many).length, 4000, separator);
    assert.deepEqual(toOf(`first@example.org, ${many}, last@example.org`), ['first@example.org'], separator);
  }
  assert.equal(boundedList('a'.repeat(250_000)).length, 50_000);
});

test('long attachments are decoded byte for byte, for any length and line breaks', async () => {
  for (const [size, width, end] of [
    [40_000, 76, '\r\n'],
    [100_001, 60, '\r\n'],
    [1_500_002, 76, '\n'],
    [3_000_000, 990, '\r\n'],
  ] as const) {
    const content = randomBytes(size);
    const encoded = content.toString('base64').replaceAll(new RegExp(`.{${width}}`, 'g'), `$&${end}`);
    const raw = Buffer.from(
      `Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\nContent-Type: image/x; name=a.bin\r\nContent-Transfer-Encoding: base64\r\n\r\n${encoded}\r\n--b--\r\n`,
    );
    const { attachments } = await parseMessage(raw);
    assert.ok(
      (await buffer(contentOf(raw, attachments[0]!.pieces) as never)).equals(content),
      `${size} bytes`,
    );
    assert.ok(!(attachments[0]!.pieces[0] instanceof Uint8Array), 'a long attachment is not copied');
  }
});
