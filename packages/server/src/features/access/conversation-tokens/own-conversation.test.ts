// A conversation token reads its conversation, answers, waits and searches there, over REST; what other threads have stays hidden.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Email } from '@parley/contract/channels/emails/email-records';
import type { Sms } from '@parley/contract/channels/sms/sms';
import type { Conversation, ConversationItem } from '@parley/contract/inbox/conversations';
import { type Client, startTestApp } from '../../../../testing/app.ts';
import { ok, type Page } from '../../../../testing/conversations.ts';

const { app, client, holder } = await startTestApp();
const [ana, bea] = ['+14155552671', '+14155552672'];
const { e164 } = await ok<{ e164: string }>(client, 'POST', '/v1/numbers', { country_code: 'US' });
const contact = { name: 'Ana Sousa', phone_e164: ana, email: 'ana@example.com' };
await ok(client, 'POST', '/v1/contacts', contact);
const receive = (from: string, body: string) =>
  ok<Sms>(client, 'POST', '/v1/sandbox/inbound-sms', { from, to: e164, body });
const sms = await receive(ana, 'Is the blue bicycle ready?');
const email = await ok<Email>(client, 'POST', '/v1/sandbox/inbound-emails', {
  from: 'Ana Sousa <ana@example.com>',
  subject: 'The secret bicycle',
  body_text: 'The bicycle has the code 1234.',
  verdicts: { dmarc: 'PASS' },
});
const foreign = await receive(bea, 'My bicycle is red.');
await app.projector.drain();

const conversation = await ok<Conversation>(client, 'GET', `/v1/conversations/${sms.conversation_id}`);
const token = async (id: string, body: object = {}) =>
  holder((await ok<{ token: string }>(client, 'POST', `/v1/conversations/${id}/tokens`, body)).token);
const itemsOf = async (of: Client, id: string) =>
  (await ok<Page<ConversationItem>>(of, 'GET', `/v1/conversations/${id}/items`)).items.map((item) => item.id);
const searched = async (of: Client, query = '') =>
  await ok<Page<{ id: string }> & { contacts: unknown[] }>(of, 'GET', `/v1/search?q=bicycle${query}`);

test('U6: it reads its conversation and its items, by its id and by that of a thread', async () => {
  assert.equal(conversation.item_count, 2);
  const own = await token(conversation.id);
  for (const id of [conversation.id, sms.conversation_id, email.conversation_id]) {
    assert.equal((await ok<Conversation>(own, 'GET', `/v1/conversations/${id}`)).id, conversation.id);
    assert.deepEqual((await itemsOf(own, id)).sort(), [sms.id, email.id].sort());
  }
  for (const path of ['', '/items'])
    assert.equal(
      (await own.request('GET', `/v1/conversations/${foreign.conversation_id}${path}`)).status,
      404,
    );
});

test('U6: it answers there, to the person who wrote, and with its budget', async () => {
  const own = await token(conversation.id, { budget: { max_count: 1 } });
  const answer = (of: Client, id: string, body: object = {}) =>
    of.request<{ noun: string; id: string; code: string }>('POST', `/v1/conversations/${id}/reply`, {
      body_text: 'It is ready.',
      recipient_consent: true,
      channel: 'sms',
      ...body,
    });
  assert.equal((await answer(own, foreign.conversation_id)).status, 404);
  const sent = await answer(own, conversation.id);
  assert.equal(sent.status, 201, sent.text);
  assert.equal((await ok<Sms>(client, 'GET', `/v1/sms/${sent.body.id}`)).to, ana);
  assert.equal((await answer(own, conversation.id)).body.code, 'budget_exceeded');
  const reader = await token(conversation.id, { may: ['read'] });
  assert.equal((await answer(reader, conversation.id)).status, 403);
});

test('U6: it finds only what is in its conversation, and no contacts', async () => {
  const own = await token(conversation.id);
  const { items, contacts } = await searched(own);
  assert.ok(items.some(({ id }) => id === sms.id) && items.some(({ id }) => id === email.id));
  assert.ok(!items.some(({ id }) => id === foreign.id));
  assert.deepEqual(contacts, []);
  const named = await searched(own, `&conversation_id=${foreign.conversation_id}`);
  assert.deepEqual(named.items, []);
  for (const noun of ['contact', 'quarantine'])
    assert.deepEqual((await searched(own, `&in=${noun}`)).items, []);
  assert.equal(
    (await (await token(conversation.id, { may: ['reply'] })).request('GET', '/v1/search?q=x')).status,
    403,
  );
});

test('U6: a token for one thread sees nothing of the other threads of the person', async () => {
  const own = await token(sms.conversation_id);
  const shown = await ok<Conversation>(own, 'GET', `/v1/conversations/${sms.conversation_id}`);
  assert.ok(!JSON.stringify(shown).includes('ana@example.com'), JSON.stringify(shown));
  assert.ok(!JSON.stringify(shown).includes('1234'));
  assert.ok(!(await itemsOf(own, sms.conversation_id)).includes(email.id));
  assert.ok(!(await itemsOf(own, conversation.id)).includes(email.id));
  assert.ok(!(await searched(own)).items.some(({ id }) => id === email.id));
  const answer = await own.request('POST', `/v1/conversations/${conversation.id}/reply`, {
    body_text: 'Hello',
    recipient_consent: true,
    channel: 'email',
  });
  assert.notEqual(answer.status, 201);
});

test('U6: it waits there, and all other operations on conversations stay closed', async () => {
  const own = await token(conversation.id);
  const waiting = own.request<{ sms: Sms | null }>('GET', '/v1/sms/wait?timeout_seconds=30');
  const stored = await own.request<{ id: string }>('POST', '/v1/waits', {
    any_of: [{ kind: 'reply', conversation_id: conversation.id }],
  });
  assert.equal(stored.status, 201, stored.text);
  await receive(bea, 'Not for you.');
  const next = await receive(ana, 'Thank you.');
  const answer = await waiting;
  assert.equal(answer.body.sms?.id, next.id, answer.text);
  for (const [method, path] of [
    ['GET', '/v1/conversations'],
    ['PATCH', `/v1/conversations/${conversation.id}`],
    ['POST', `/v1/conversations/${conversation.id}/takeover`],
    ['POST', `/v1/conversations/${conversation.id}/read`],
    ['GET', '/v1/contacts'],
  ] as const)
    assert.equal((await own.request(method, path, method === 'GET' ? undefined : {})).status, 403, path);
});
