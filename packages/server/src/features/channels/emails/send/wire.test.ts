// The bytes that a relay gets in edge cases: unusual line ends, long runs of blanks, addresses beyond ASCII.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Email } from '@parley/contract/channels/emails/email-records';
import { startRelayedApp } from '../../../../../testing/relayed-app.ts';

const { client, url, app, relay } = await startRelayedApp({
  answers: { 'RCPT TO:<dead@xn--': '550 5.1.1 User unknown' },
});

const upload = async (content: Uint8Array<ArrayBuffer>) => {
  const form = new FormData();
  form.append('file', new Blob([content]), 'file.bin');
  const headers = { authorization: `Bearer ${client.key}` };
  const answer = await fetch(`${url}/v1/email-attachments`, { method: 'POST', body: form, headers });
  return ((await answer.json()) as { id: string }).id;
};
const send = (body: object) =>
  client.request<Email>('POST', '/v1/emails', {
    recipient_consent: true,
    to: ['bob@example.org'],
    subject: 'Hello',
    ...body,
  });

test('lines end with CR LF, with and without a file', async () => {
  const file = await upload(new Uint8Array(10));
  for (const attachment_ids of [[], [file]]) {
    for (const text of ['one\rtwo', 'one\rtwo\nthree\r\nfour']) {
      const answer = await send({ body_text: text, body_html: text, attachment_ids });
      assert.equal(answer.status, 201, answer.text);
      assert.doesNotMatch(relay.contents.at(-1)!, /\r(?!\n)|(?<!\r)\n/);
      assert.match(relay.contents.at(-1)!, /one\r\ntwo/);
    }
  }
});

test('no header line consists of blanks only', async () => {
  const blanks = ' '.repeat(300);
  const file = await upload(new Uint8Array(10));
  for (const attachment_ids of [[], [file]]) {
    const answer = await send({
      subject: `a${blanks}X-Evil: y`,
      from_name: `Ana${blanks.slice(0, 190)}Bo`,
      headers: { 'X-A': `b${blanks}c` },
      attachment_ids,
    });
    assert.equal(answer.status, 201, answer.text);
    assert.equal(answer.body.subject, `a${blanks}X-Evil: y`);
    const header = relay.contents.at(-1)!.split('\r\n\r\n')[0]!.split('\r\n');
    for (const line of header) assert.doesNotMatch(line, /^[ \t]*$|^X-Evil/);
    assert.ok(header.includes('X-A: b c'));
  }
});

test('an address beyond ASCII is not sent to a relay without SMTPUTF8', async () => {
  const before = relay.contents.length;
  for (const body of [{ from: 'jürgen@acme.example' }, { reply_to: 'jürgen@acme.example' }]) {
    assert.equal((await send(body)).status, 502);
    const { items } = (await client.request<{ items: Email[] }>('GET', '/v1/emails?limit=1')).body;
    assert.deepEqual([items[0]!.status, items[0]!.end_reason], ['failed', 'smtp_rejected']);
  }
  assert.equal(relay.contents.length, before);
});

test('a refused international recipient is reported as spelled in the request', async () => {
  const { body } = await send({ to: ['dead@bücher.example', 'ok@example.org'] });
  await app.jobs.drain();
  type Entry = { kind: string; detail: { hard?: boolean; recipients: string[] } };
  const { items } = (await client.request<{ items: Entry[] }>('GET', `/v1/emails/${body.id}/events`)).body;
  const bounce = items.find(({ kind }) => kind === 'bounced')!;
  assert.deepEqual([bounce.detail.hard, bounce.detail.recipients], [true, ['dead@bücher.example']]);
  const again = await send({ to: ['dead@xn--bcher-kva.example'] });
  assert.equal((again.body as unknown as { code: string }).code, 'recipient_suppressed');
});
