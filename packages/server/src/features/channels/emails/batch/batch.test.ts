// Batches of emails: all or the valid ones, counted together, sent by the worker.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, test } from 'node:test';
import type { EmailBatch } from '@parley/contract/channels/emails/email-batches';
import type { Email } from '@parley/contract/channels/emails/email-records';
import { type Client, startTestApp } from '../../../../../testing/app.ts';
import { managedOrganization } from '../../../../../testing/managed.ts';
import { type Problem, smallest } from '../../../../../testing/sent-emails.ts';

type Answer = EmailBatch & Problem;

const service = await startTestApp({ PARLEY_MANAGED: 'on' });
const { app, client, operator } = service;
const { client: own } = await managedOrganization(service);

const emails = (count: number, more: object = {}) =>
  Array.from({ length: count }, (_, n) => ({ ...smallest, to: [`person${n}@example.org`], ...more }));
const post = (body: object, { of = own, key = randomUUID() }: { of?: Client; key?: string } = {}) =>
  of.request<Answer>('POST', '/v1/email-batches', body, { 'idempotency-key': key });
const get = async (id: string) => (await own.request<EmailBatch>('GET', `/v1/email-batches/${id}`)).body;
const stored = async () =>
  (await own.request<{ items: Email[] }>('GET', '/v1/emails?limit=200')).body.items.length;
const codes = ({ items }: EmailBatch) => items.map(({ error }) => error?.code ?? null);

describe('a batch', () => {
  test('is stored at once, sent in the background, and a repeat gets the same response', async () => {
    const key = randomUUID();
    const body = { emails: emails(100) };
    const before = await stored();
    const answer = await post(body, { key });
    assert.equal(answer.status, 201, answer.text);
    const { id, accepted, rejected, counts, items } = answer.body;
    assert.deepEqual([accepted, rejected, counts.queued, items.length], [100, 0, 100, 100]);
    const again = await post(body, { key });
    assert.deepEqual([again.status, again.text], [201, answer.text]);
    assert.equal(await stored(), before + 100);
    await app.jobs.drain();
    const sent = await get(id);
    assert.deepEqual([sent.counts.queued, sent.counts.sent], [0, 100]);
    assert.ok(sent.items.every(({ index, status }, n) => index === n && status === 'sent'));
  });

  test('may have emails that wait for a time', async () => {
    const scheduled_at = new Date(Date.now() + 3_600_000).toISOString();
    const [now, later] = emails(2);
    const { body } = await post({ emails: [now, { ...later, scheduled_at }] });
    assert.deepEqual(
      body.items.map(({ hold }) => hold?.kind ?? null),
      [null, 'schedule'],
    );
    await app.jobs.drain();
    assert.deepEqual(
      (await get(body.id)).items.map(({ status }) => status),
      ['sent', 'queued'],
    );
  });

  test('has 1 to 100 emails and at most 5 MiB', async () => {
    assert.equal((await post({ emails: [] })).status, 422);
    assert.equal((await post({ emails: emails(101) })).status, 422);
    const large = { body_text: 'x'.repeat(500_000) };
    assert.equal((await post({ emails: emails(8, large) })).status, 201);
    assert.equal((await post({ emails: emails(11, large) })).status, 413);
  });

  test('with an email that cannot be sent is rejected as a whole, and each error has its path', async () => {
    const before = await stored();
    const list: object[] = emails(4);
    list[1] = { ...list[1], recipient_consent: false };
    list[3] = { ...list[3], to: ['ok@example.org', 'no address'] };
    const answer = await post({ emails: list });
    assert.deepEqual([answer.status, answer.body.code], [422, 'batch_rejected'], answer.text);
    assert.deepEqual(
      answer.body.errors?.map(({ path }) => path),
      ['body.emails[1].recipient_consent', 'body.emails[3].to[1]'],
    );
    await own.request('POST', '/v1/email-suppressions', { recipient: 'person2@example.org' });
    const suppressed = await post({ emails: emails(4) });
    assert.deepEqual(
      suppressed.body.errors?.map(({ path }) => path),
      ['body.emails[2].to[0]'],
    );
    assert.equal(await stored(), before);
  });

  test('with send_valid sends the others and says why each was rejected', async () => {
    const list: object[] = emails(4, { attachment_ids: [] });
    list[0] = { ...list[0], attachment_ids: [randomUUID()] };
    list[1] = { ...list[1], subject: '' };
    const answer = await post({ emails: list, on_error: 'send_valid' });
    assert.equal(answer.status, 201, answer.text);
    assert.deepEqual(codes(answer.body), [
      'attachment_not_found',
      'validation_failed',
      'recipient_suppressed',
      null,
    ]);
    const paths = answer.body.items.map(({ error }) => error?.errors?.[0]?.path);
    assert.equal(paths[0], 'body.emails[0].attachment_ids[0]');
    await app.jobs.drain();
    const { accepted, rejected, counts } = await get(answer.body.id);
    assert.deepEqual([accepted, rejected, counts.sent], [1, 3, 1]);
    const none = await post({ emails: [{}], on_error: 'send_valid' });
    assert.equal(none.body.code, 'batch_rejected');
  });

  test('counts toward the cap: all or nothing with reject_all, as many as fit with send_valid', async () => {
    const { client: capped, organization } = await managedOrganization(service);
    const path = `/v1/admin/organizations/${organization.id}`;
    const answer = await client.request('PATCH', path, { velocity_caps: { emails: 2 } });
    assert.equal(answer.status, 200, answer.text);
    const refused = await post({ emails: emails(3) }, { of: capped });
    assert.deepEqual([refused.status, refused.body.code], [429, 'velocity_capped'], refused.text);
    const partly = await post({ emails: emails(3), on_error: 'send_valid' }, { of: capped });
    assert.equal(partly.status, 201, partly.text);
    assert.deepEqual(codes(partly.body), [null, null, 'velocity_capped']);
  });

  test('belongs to its organization', async () => {
    const { body } = await post({ emails: emails(1) });
    const { client: other } = await managedOrganization(service);
    assert.equal((await other.request('GET', `/v1/email-batches/${body.id}`)).status, 404);
  });

  test('is refused while the kill switch is on', async () => {
    await operator.request('PATCH', '/v1/admin/kill-switch', { emails: true });
    for (const on_error of ['reject_all', 'send_valid'])
      assert.equal((await post({ emails: emails(2), on_error })).body.code, 'kill_switch');
    await operator.request('PATCH', '/v1/admin/kill-switch', { emails: false });
  });
});
