// A relay that replies after its email was closed as lost: the stored response stays, and the record is corrected.
import assert from 'node:assert/strict';
import type { AddressInfo } from 'node:net';
import { after, test } from 'node:test';
import type { Email } from '@parley/contract/channels/emails/email-records';
import { SMTPServer } from 'smtp-server';
import { startTestApp } from '../../../../../testing/app.ts';
import { addVerifiedDomain } from '../../../../../testing/relayed-app.ts';
import { sql } from '../../../../platform/db/sql.ts';

let received: () => void = () => {};
const message_received = new Promise<void>((resolve) => {
  received = resolve;
});
let answer: () => void = () => {};
const relay = new SMTPServer({
  closeTimeout: 100,
  authOptional: true,
  disabledCommands: ['STARTTLS', 'AUTH'],
  onData(stream, _, done) {
    stream.resume();
    stream.on('end', () => {
      answer = done;
      received();
    });
  },
});
await new Promise<void>((resolve) => relay.listen(0, '127.0.0.1', resolve));
after(() => new Promise<void>((resolve) => relay.close(() => resolve())));
const { client, db, later } = await startTestApp({
  PARLEY_SMTP_URL: `smtp://127.0.0.1:${(relay.server.address() as AddressInfo).port}`,
});

test('a relay that accepts an email after it was closed as unconfirmed confirms it (M8)', async () => {
  await addVerifiedDomain({ client, db });
  const body = { recipient_consent: true, to: ['bob@example.org'], subject: 'Hello' };
  const post = () =>
    client.request<{ code: string; object_id?: string }>('POST', '/v1/emails', body, {
      'idempotency-key': 'late',
    });
  const first = post();
  await message_received;
  await later(60);
  const [email] = (await client.request<{ items: Email[] }>('GET', '/v1/emails')).body.items;
  assert.deepEqual([email!.status, email!.end_reason], ['failed', 'unconfirmed']);
  const decision = await db.maybe<{ outcome: string | null }>(
    sql`select admission::json ->> 'outcome' as outcome from emails where id = ${email!.id}`,
  );
  assert.equal(decision!.outcome, 'allow', 'the rules that let it go are known, although its outcome is not');
  answer();
  const response = await first;
  assert.deepEqual([response.status, response.body.code], [502, 'email_unconfirmed']);
  assert.equal(response.body.object_id, email!.id);

  assert.deepEqual((await post()).body, response.body);
  const stored = await client.request<Email>('GET', `/v1/emails/${email!.id}`);
  assert.deepEqual([stored.body.status, stored.body.end_reason, stored.body.failed_at], ['sent', null, null]);
  assert.ok(stored.body.sent_at && stored.body.provider_message_id);
  const steps = await client.request<{ items: { kind: string }[] }>('GET', `/v1/emails/${email!.id}/events`);
  assert.deepEqual(
    steps.body.items.map(({ kind }) => kind),
    ['send_failed', 'sent', 'delivered'],
  );
  const events = await client.request<{ items: { type: string }[] }>(
    'GET',
    `/v1/events?resource_id=${email!.id}`,
  );
  assert.deepEqual(events.body.items.map(({ type }) => type).sort(), [
    'email.delivered',
    'email.send_failed',
  ]);
  const { totals } = (await client.request<{ totals: Record<string, number> }>('GET', '/v1/emails/stats'))
    .body;
  assert.deepEqual([totals.sent, totals.delivered, totals.rejected], [1, 1, 1]);
});
