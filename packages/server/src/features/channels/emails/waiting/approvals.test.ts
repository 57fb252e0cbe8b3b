// Approvals of batches and of emails that are moved: a person decides about exactly what is sent, and when.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EmailBatch } from '@parley/contract/channels/emails/email-batches';
import type { Email } from '@parley/contract/channels/emails/email-records';
import type { Approval } from '@parley/contract/rules/approvals/approvals';
import { startTestApp } from '../../../../../testing/app.ts';
import { smallest } from '../../../../../testing/sent-emails.ts';

const { app, client, operator, later } = await startTestApp();
const policy = { rules: [{ name: 'All', when: ['always'], then: 'hold' }] };
const set = await operator.request('PUT', '/v1/approval-policy', policy);
assert.equal(set.status, 200, set.text);

const approvalOf = async (id: string) => (await client.request<Approval>('GET', `/v1/approvals/${id}`)).body;
const approve = async ({ id, payload_sha256 }: Approval) => {
  const answer = await operator.request<Approval>('POST', `/v1/approvals/${id}/approve`, { payload_sha256 });
  assert.equal(answer.status, 200, answer.text);
  await app.jobs.drain();
};
const read = async (id: string) => (await client.request<Email>('GET', `/v1/emails/${id}`)).body;
const inSeconds = async (seconds: number) => {
  const { now } = (await client.request<{ now: string }>('GET', '/v1/sandbox/clock')).body;
  return new Date(Date.parse(now) + seconds * 1000).toISOString();
};

test('a batch waits for one approval that shows every email, and is sent when it is given', async () => {
  const emails = ['a', 'b', 'c'].map((name) => ({ ...smallest, to: [`${name}@example.org`] }));
  const { body: batch } = await client.request<EmailBatch>('POST', '/v1/email-batches', { emails });
  const ids = new Set(batch.items.map(({ hold }) => hold?.approval_id));
  assert.equal(ids.size, 1);
  const approval = await approvalOf([...ids][0]!);
  assert.deepEqual(approval.object, { noun: 'email_batch', id: batch.id });
  await app.jobs.drain();
  assert.ok(
    (await Promise.all(batch.items.map(({ email_id }) => read(email_id!)))).every(({ hold }) => hold),
  );
  await approve(approval);
  const sent = (await client.request<EmailBatch>('GET', `/v1/email-batches/${batch.id}`)).body;
  assert.equal(sent.counts.sent, 3);
});

test('an approved email that is moved waits for a new approval, and is sent at the new time', async () => {
  const scheduled_at = await inSeconds(3600);
  const { body: email } = await client.request<Email>('POST', '/v1/emails', { ...smallest, scheduled_at });
  const first = email.hold!.approval_id!;
  await approve(await approvalOf(first));
  assert.equal((await read(email.id)).hold?.kind, 'schedule');
  const moved = await client.request<Email>('PATCH', `/v1/emails/${email.id}`, {
    scheduled_at: await inSeconds(7200),
  });
  assert.equal(moved.status, 200, moved.text);
  assert.equal(moved.body.hold?.kind, 'approval');
  assert.notEqual(moved.body.hold!.approval_id, first);
  await later(3700);
  assert.equal((await read(email.id)).status, 'queued');
  await approve(await approvalOf(moved.body.hold!.approval_id!));
  assert.equal((await read(email.id)).hold?.kind, 'schedule');
  await later(3600);
  assert.equal((await read(email.id)).status, 'sent');
});

test('a canceled email withdraws its approval', async () => {
  const { body: email } = await client.request<Email>('POST', '/v1/emails', smallest);
  assert.equal((await client.request('POST', `/v1/emails/${email.id}/cancel`)).status, 200);
  assert.equal((await approvalOf(email.hold!.approval_id!)).status, 'canceled');
});
