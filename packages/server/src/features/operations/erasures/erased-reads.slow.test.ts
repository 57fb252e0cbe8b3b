// Whatever reads a record answers also after its content was erased, with the person or by retention.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import type { SandboxMessage } from '@parley/contract/operations/sandbox/sandbox-outbox';
import { type Client, startTestApp } from '../../../../testing/app.ts';
import { ended, people } from '../../../../testing/calls.ts';
import { createMailbox } from '../../../../testing/mail-app.ts';
import { sql } from '../../../platform/db/sql.ts';
import { emailPersonalData } from '../../channels/emails/index.ts';

const { app, db, organization, later } = await startTestApp();
const ana = { email: 'ana@cust.example', phone: people.converses };

async function post<T = { id: string }>(of: Client, path: string, body: unknown): Promise<T> {
  const answer = await of.request<T>('POST', path, body, { 'idempotency-key': randomUUID() });
  assert.equal(answer.status, 201, `${path}: ${answer.text}`);
  return answer.body;
}

type Records = { sent: string; received: string; sms: string; call: string };

/** A record of each kind. */
async function recordsOf(own: Client): Promise<Records> {
  await createMailbox(own);
  const recipient_consent = true;
  const html = { subject: 'Hi', body_html: '<p>Hi <a href="https://a.example/x">x</a></p>' };
  const sent = await post(own, '/v1/emails', { to: [ana.email], ...html, recipient_consent });
  const attachments = [{ filename: 'a.txt', content_base64: 'SGk=' }];
  const received = await post(own, '/v1/sandbox/inbound-emails', {
    ...{ from: ana.email, subject: 'Re: Hi', text: 'Hello', attachments },
  });
  const sms = await post(own, '/v1/sms', { to: ana.phone, body: 'Hi', recipient_consent });
  const call = await post(own, '/v1/calls', {
    ...{ to: ana.phone, system_prompt: 'Ask.', recipient_consent, record: true },
  });
  await ended(own, call.id);
  await later(10);
  await app.jobs.drain();
  await app.projector.drain();
  return { sent: sent.id, received: received.id, sms: sms.id, call: call.id };
}

/** Every way to read one of the records, and to use it for something new. */
async function useAll(own: Client, { sent, received, sms, call }: Records): Promise<void> {
  const conversations = await own.request<{ items: { id: string }[] }>('GET', '/v1/conversations');
  const reads = [sent, received]
    .flatMap((id) =>
      ['', '/events', '/preview', '/raw', '/explain', '?view=text'].map((path) => `/v1/emails/${id}${path}`),
    )
    .concat(
      ['', '/transcript', '/events', '/recording', '/explain'].map((path) => `/v1/calls/${call}${path}`),
    )
    .concat(['', '/explain'].map((path) => `/v1/sms/${sms}${path}`))
    .concat(
      conversations.body.items.flatMap(({ id }) => [
        `/v1/conversations/${id}`,
        `/v1/conversations/${id}/items`,
      ]),
    )
    .concat(['/v1/emails', '/v1/sms', '/v1/calls', '/v1/conversations', '/v1/approvals', '/v1/events'])
    .concat(['/v1/search?q=hello', '/v1/sandbox/outbox', '/v1/receipts', '/emails', `/emails/${sent}`])
    .concat([
      `/emails/receiving/${received}`,
      '/emails/receiving',
      `/emails/receiving/${received}/attachments`,
    ]);
  for (const path of reads) {
    const answer = await own.request('GET', path);
    assert.ok(answer.status < 500, `${path}: ${answer.status} ${answer.text}`);
  }
  const consent = { recipient_consent: true };
  const uses: [string, object][] = [sent, received].flatMap((id): [string, object][] => [
    [`/v1/emails/${id}/reply`, { body_text: 'x', ...consent }],
    [`/v1/emails/${id}/forward`, { to: ['bob@cust.example'], ...consent }],
    [`/v1/emails/${id}/quarantine`, {}],
    [`/v1/emails/${id}/release`, {}],
    [`/v1/emails/${id}/cancel`, {}],
  ]);
  for (const [path, body] of [...uses, [`/v1/calls/${call}/result`, {}] as const]) {
    const answer = await own.request('POST', path, body, { 'idempotency-key': randomUUID() });
    assert.ok(answer.status < 500, `${path}: ${answer.status} ${answer.text}`);
  }
}

async function outboxOf(own: Client): Promise<SandboxMessage[]> {
  const answer = await own.request<{ items: SandboxMessage[] }>('GET', '/v1/sandbox/outbox');
  assert.equal(answer.status, 200, answer.text);
  return answer.body.items;
}

test('U3: the sandbox outbox and every other read answer after a person was erased', async () => {
  const own = organization({ credential_kind: 'session', role: 'owner' });
  const records = await recordsOf(own);
  const before = (await outboxOf(own)).map(({ id }) => id);
  assert.deepEqual(new Set(before), new Set([records.sent, records.sms, records.call]));
  const { id } = await post(own, '/v1/erasures', { parties: [ana.email, ana.phone] });
  for (let round = 0; round < 10; round++) {
    await app.jobs.drain();
    await later(3);
  }
  assert.equal((await own.request<{ status: string }>('GET', `/v1/erasures/${id}`)).body.status, 'done');
  const after = await outboxOf(own);
  assert.deepEqual(
    after.map((entry) => entry.id),
    before,
  );
  assert.ok(after.every(({ content_erased_at }) => content_erased_at !== null));
  const email = after.find(({ channel }) => channel === 'email')!;
  assert.deepEqual([email.to, email.message], [[`erased:${id}`], {}]);
  await useAll(own, records);
});

test('U3: the sandbox outbox and every other read answer after retention deleted the content', async () => {
  const own = organization({ credential_kind: 'session', role: 'owner' });
  const records = await recordsOf(own);
  const { organization_id } = own;
  const ids = [records.sent, records.received];
  await emailPersonalData.objects!.forget(db, organization_id, ids);
  const of = { organization_id, noun: 'email', ids, now: new Date(), replaced_by: null } as const;
  await db.transaction((tx) => emailPersonalData.records!.eraseContent(tx, of));
  await db.run(sql`
    update calls set recording_key = null, recording_bytes = null where organization_id = ${organization_id}`);
  const email = (await outboxOf(own)).find(({ channel }) => channel === 'email')!;
  assert.deepEqual([email.to, email.message], [[ana.email], {}]);
  assert.ok(email.content_erased_at);
  await useAll(own, records);
});
