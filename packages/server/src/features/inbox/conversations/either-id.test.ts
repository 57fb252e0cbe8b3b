// Every operation on a conversation takes its own id, and the conversation_id that emails, texts and calls have.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Sms } from '@parley/contract/channels/sms/sms';
import type { Conversation } from '@parley/contract/inbox/conversations';
import { type Client, startTestApp } from '../../../../testing/app.ts';
import { ok, type Page, receiveEmail } from '../../../../testing/conversations.ts';
import { createWait, receiveTextAt, settledWait } from '../../../../testing/waits.ts';

const service = await startTestApp();
const { app, client, holder, organization } = service;
const ana = '+14155552671';
const { e164 } = await ok<{ e164: string }>(client, 'POST', '/v1/numbers', { country_code: 'US' });
const contact = { name: 'Ana Sousa', phone_e164: ana, email: 'ana@example.com' };
await ok(client, 'POST', '/v1/contacts', contact);
await receiveTextAt(client, ana, e164, 'Is the blue bicycle ready?');
const [text] = (await ok<Page<Sms>>(client, 'GET', '/v1/sms?direction=inbound')).items;
const email = await receiveEmail(client, { from: 'ana@example.com', text: 'Where is my bicycle?' });
await app.projector.drain();
const conversation = await ok<Conversation>(client, 'GET', `/v1/conversations/${email.conversation_id}`);
const both_ids = [conversation.id, text!.conversation_id];
const idsAt = async (of: Client, path: string) =>
  (await ok<Page<{ id: string }>>(of, 'GET', path)).items.map(({ id }) => id);
const token = async (id: string) =>
  holder((await ok<{ token: string }>(client, 'POST', `/v1/conversations/${id}/tokens`, {})).token);

test('the ids differ', () => assert.notEqual(conversation.id, text!.conversation_id));

test('it is read, changed and answered by either id', async () => {
  for (const id of both_ids) {
    const path = `/v1/conversations/${id}`;
    assert.equal((await ok<Conversation>(client, 'GET', path)).id, conversation.id);
    assert.equal((await idsAt(client, `${path}/items`)).length >= 2, true);
    assert.equal((await ok<Conversation>(client, 'PATCH', path, { title: id })).title, id);
    assert.equal((await ok<Conversation>(client, 'POST', `${path}/read`, {})).id, conversation.id);
    const sent = await ok<{ noun: string }>(client, 'POST', `${path}/reply`, {
      body_text: 'It is ready.',
      recipient_consent: true,
      channel: 'sms',
    });
    assert.equal(sent.noun, 'sms');
  }
});

test('search and lists find its records by its id, and those of one thread by the id of the thread', async () => {
  const searched = await idsAt(client, `/v1/search?q=bicycle&conversation_id=${conversation.id}`);
  assert.deepEqual(searched.sort(), [text!.id, email.id].sort());
  assert.deepEqual(await idsAt(client, `/v1/search?q=bicycle&conversation_id=${text!.conversation_id}`), [
    text!.id,
  ]);
  for (const id of [conversation.id, conversation.id.toUpperCase(), email.conversation_id])
    assert.deepEqual(await idsAt(client, `/v1/emails?conversation_id=${id}`), [email.id]);
  for (const id of both_ids)
    assert.ok((await idsAt(client, `/v1/sms?direction=inbound&conversation_id=${id}`)).includes(text!.id));
  assert.deepEqual(await idsAt(client, `/v1/sms?conversation_id=${email.conversation_id}`), []);
  assert.deepEqual(await idsAt(organization(), `/v1/emails?conversation_id=${conversation.id}`), []);
});

test('requests and waits in the background end by either id', async () => {
  for (const id of both_ids) {
    const query = `conversation_id=${id}&timeout_seconds=1&since=2020-01-01T00:00:00Z`;
    const { sms } = await ok<{ sms: Sms | null }>(client, 'GET', `/v1/sms/wait?${query}`);
    assert.equal(sms?.id, text!.id);
    const wait = await createWait(client, [{ kind: 'reply', conversation_id: id }]);
    await receiveTextAt(client, ana, e164, `And now, ${id}?`);
    assert.equal((await settledWait(service)(client, wait)).status, 'resolved');
  }
});

test('a token for one thread may name its conversation, and sees this thread only', async () => {
  const of_text = await token(text!.conversation_id);
  const path = `/v1/conversations/${conversation.id}`;
  assert.equal((await ok<Conversation>(of_text, 'GET', path)).id, conversation.id);
  assert.ok((await idsAt(of_text, `/v1/sms?conversation_id=${conversation.id}`)).includes(text!.id));
  const searched = await idsAt(of_text, `/v1/search?q=bicycle&conversation_id=${conversation.id}`);
  assert.deepEqual(searched, [text!.id]);
  const wait = await createWait(of_text, [{ kind: 'reply', conversation_id: conversation.id }]);
  assert.equal(wait.status, 'pending');
  const foreign = await receiveEmail(client, { from: 'bea@example.com', text: 'Another matter.' });
  await app.projector.drain();
  const refused = await of_text.request('GET', `/v1/sms?conversation_id=${foreign.conversation_id}`);
  assert.equal(refused.status, 404);
  assert.equal((await ok<{ items: unknown[] }>(client, 'GET', `${path}/tokens`)).items.length, 0);
  await token(conversation.id);
  assert.equal((await ok<{ items: unknown[] }>(client, 'GET', `${path}/tokens`)).items.length, 1);
});

test('tool calls are listed by either id', async () => {
  for (const id of both_ids)
    assert.deepEqual(await idsAt(client, `/v1/tool-calls?conversation_id=${id}`), []);
});
