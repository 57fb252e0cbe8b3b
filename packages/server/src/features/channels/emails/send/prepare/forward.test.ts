// Forwarding an email over the API: inline or as a file, with a full check of the recipients.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, test } from 'node:test';
import type { Email } from '@parley/contract/channels/emails/email-records';
import { startRelayedApp } from '../../../../../../testing/relayed-app.ts';
import type { Problem } from '../../../../../../testing/sent-emails.ts';

const { client, organization, relay } = await startRelayedApp();

const receive = async (body: object = {}) => {
  const answer = await client.request<Email>('POST', '/v1/sandbox/inbound-emails', {
    from: 'Bob <bob@example.org>',
    to: ['desk@acme.example'],
    subject: 'Broken pump',
    body_text: 'It leaks.',
    attachments: [{ filename: 'photo.txt', content_base64: Buffer.from('a photo').toString('base64') }],
    ...body,
  });
  assert.equal(answer.status, 201, answer.text);
  return answer.body;
};
const forward = (id: string, body: object, headers: Record<string, string> = {}) =>
  client.request<Email & Problem>(
    'POST',
    `/v1/emails/${id}/forward`,
    { recipient_consent: true, to: ['carol@example.org'], ...body },
    headers,
  );
const forwarded = async (id: string, body: object = {}) => {
  const answer = await forward(id, body);
  assert.equal(answer.status, 201, answer.text);
  return { email: answer.body, content: relay.contents.at(-1)! };
};

describe('a forward', () => {
  test('has the original below the own text, its files, and a conversation of its own', async () => {
    const original = await receive();
    const { email, content } = await forwarded(original.id, { body_text: 'Please look.' });
    assert.deepEqual(
      [email.subject, email.from_address, email.to_addresses],
      ['Fwd: Broken pump', 'desk@acme.example', ['carol@example.org']],
    );
    assert.match(
      email.body_text!,
      /^Please look\.\n\n-+ Forwarded message -+\nFrom: Bob <bob@example\.org>\nDate: .*GMT\nSubject: Broken pump\nTo: desk@acme\.example\n\nIt leaks\./,
    );
    assert.deepEqual(
      email.attachments.map(({ filename }) => filename),
      ['photo.txt'],
    );
    assert.match(content, /filename=photo\.txt/);
    assert.notEqual(email.conversation_id, original.conversation_id);
    assert.equal(email.in_reply_to, null);
  });

  test('may leave the files out and have another subject, sender and time', async () => {
    const original = await receive();
    const scheduled_at = new Date(Date.now() + 3_600_000).toISOString();
    const own = { from: 'boss@acme.example', subject: 'Look', scheduled_at, include_attachments: false };
    const { email } = await forwarded(original.id, own);
    assert.deepEqual(
      [email.subject, email.from_address, email.attachments, email.hold?.kind],
      ['Look', 'boss@acme.example', [], 'schedule'],
    );
  });

  test('of an HTML email keeps its HTML, and shows what strangers wrote into its header as text', async () => {
    const original = await receive({
      subject: '<img src=x>',
      body_text: undefined,
      body_html: '<p>It <b>leaks</b>.</p>',
      attachments: [],
    });
    const { email } = await forwarded(original.id, { body_text: 'a < b' });
    assert.ok(email.body_html!.includes('a &lt; b'));
    assert.ok(email.body_html!.includes('&lt;img src=x&gt;'), email.body_html!);
    assert.ok(email.body_html!.includes('<p>It <b>leaks</b>.</p>'));
    assert.match(email.body_text!, /It leaks\./);
  });

  test('as a file has the unchanged message', async () => {
    const original = await receive();
    const { email, content } = await forwarded(original.id, { as: 'attachment', body_text: 'See the file.' });
    assert.deepEqual(
      email.attachments.map(({ filename, content_type }) => [filename, content_type]),
      [['Broken pump.eml', 'message/rfc822']],
    );
    assert.equal(email.body_text, 'See the file.');
    const part = content.slice(content.indexOf('message/rfc822'));
    assert.match(part, /Content-Transfer-Encoding: 7bit/);
    assert.match(part, /^Subject: Broken pump\r$/m);
  });

  test('of an own email works too', async () => {
    const { email } = await forwarded((await receive()).id);
    const again = await forwarded(email.id, { as: 'attachment', to: ['dave@example.org'] });
    assert.equal(again.email.subject, 'Fwd: Broken pump');
    assert.match(again.content, /message\/rfc822/);
  });

  test('goes to nobody who is suppressed, and needs consent', async () => {
    const { id } = await receive();
    await client.request('POST', '/v1/email-suppressions', { recipient: 'no@example.org' });
    const refused = await forward(id, { to: ['carol@example.org'], bcc: ['no@example.org'] });
    assert.deepEqual([refused.status, refused.body.code], [422, 'recipient_suppressed']);
    assert.equal(refused.body.errors![0]!.path, 'body.bcc[0]');
    assert.equal((await forward(id, { recipient_consent: false })).body.code, 'consent_required');
    assert.equal((await forward(id, { from: 'x@elsewhere.example' })).body.code, 'from_not_allowed');
  });

  test('is sent once per key, and only by the organization of the email', async () => {
    const { id } = await receive();
    const key = { 'idempotency-key': randomUUID() };
    const first = await forward(id, { as: 'attachment' }, key);
    const sent = relay.contents.length;
    const again = await forward(id, { as: 'attachment' }, key);
    assert.deepEqual([again.status, again.text], [201, first.text]);
    assert.equal(relay.contents.length, sent);
    const other = organization();
    const body = { recipient_consent: true, to: ['carol@example.org'] };
    assert.equal((await other.request('POST', `/v1/emails/${id}/forward`, body)).status, 404);
  });
});
