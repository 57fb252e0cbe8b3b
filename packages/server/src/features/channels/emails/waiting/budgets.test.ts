// What budgets count: every email that is sent, once, and nothing else.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import type { Email } from '@parley/contract/channels/emails/email-records';
import type { Budget } from '@parley/contract/rules/spending/budgets';
import { startTestApp } from '../../../../../testing/app.ts';
import { type Problem, smallest } from '../../../../../testing/sent-emails.ts';

const service = await startTestApp();
const { later } = service;
const organization_id = randomUUID();
const person = service.organization({ organization_id, credential_kind: 'session' });
const program = service.organization({ organization_id });
const created = await person.request<Budget>('POST', '/v1/budgets', {
  subject: { kind: 'organization', id: null },
  channel: 'emails',
  window: 'month',
  max_count: 4,
});
assert.equal(created.status, 201, created.text);

const used = async () =>
  (await person.request<Budget>('GET', `/v1/budgets/${created.body.id}`)).body.used_count;
const post = (body: object, key: string = randomUUID(), path = '/v1/emails') =>
  program.request<Email & Problem>('POST', path, body, { 'idempotency-key': key });
const emails = (count: number) => Array.from({ length: count }, () => smallest);

test('an email counts once, also when its request is repeated', async () => {
  const key = randomUUID();
  for (let n = 0; n < 3; n++) assert.equal((await post(smallest, key)).status, 201);
  assert.equal(await used(), 1);
});

test('an email that cannot be composed counts nothing', async () => {
  const refused = await post({ ...smallest, body_html: '<div>'.repeat(5000) });
  assert.equal(refused.status, 422, refused.text);
  assert.equal(await used(), 1);
});

test('a scheduled email counts when it is sent, and a canceled one never', async () => {
  const scheduled_at = new Date(Date.now() + 60_000).toISOString();
  const [sent, canceled] = [
    await post({ ...smallest, scheduled_at }),
    await post({ ...smallest, scheduled_at }),
  ];
  await program.request('POST', `/v1/emails/${canceled.body.id}/cancel`);
  assert.equal(await used(), 1);
  await later(61);
  assert.equal((await program.request<Email>('GET', `/v1/emails/${sent.body.id}`)).body.status, 'sent');
  assert.equal(await used(), 2);
});

test('a batch that does not fit counts nothing, or what fits', async () => {
  const batches = '/v1/email-batches';
  const key = randomUUID();
  const refused = await post({ emails: emails(3) }, key, batches);
  assert.deepEqual([refused.status, refused.body.code], [429, 'budget_exceeded'], refused.text);
  assert.equal(await used(), 2);
  const partly = { emails: emails(3), on_error: 'send_valid' };
  for (let n = 0; n < 2; n++) {
    const answer = await post(partly, key.replace(/^./, 'x'), batches);
    assert.equal(answer.status, 201, answer.text);
    assert.deepEqual((answer.body as unknown as { accepted: number }).accepted, 2);
  }
  assert.equal(await used(), 4);
});

test('a scheduled email ends as not allowed when the budget is used up at its time', async () => {
  // Created while the budget still had room.
  const budget = `/v1/budgets/${created.body.id}`;
  await person.request('PATCH', budget, { max_count: 5 });
  const scheduled_at = new Date(Date.parse(await now()) + 60_000).toISOString();
  const waiting = await post({ ...smallest, scheduled_at });
  assert.equal(waiting.status, 201, waiting.text);
  await person.request('PATCH', budget, { max_count: 4 });
  await later(61);
  const email = (await program.request<Email>('GET', `/v1/emails/${waiting.body.id}`)).body;
  assert.deepEqual([email.status, email.end_reason], ['failed', 'not_allowed']);
  assert.equal(await used(), 4);
});

const now = async () => (await service.client.request<{ now: string }>('GET', '/v1/sandbox/clock')).body.now;
