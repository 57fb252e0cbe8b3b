// A relay that answers after its email was given up: what was told stays true.
import assert from 'node:assert/strict';
import type { AddressInfo } from 'node:net';
import { after, test } from 'node:test';
import type { EmailDomain } from '@parley/contract/email-domains';
import type { Email } from '@parley/contract/email-records';
import { SMTPServer } from 'smtp-server';
import { startTestApp } from '../../../testing/app.ts';
import { sql } from '../../platform/db/sql.ts';

let heard: () => void = () => {};
const message_heard = new Promise<void>((resolve) => {
  heard = resolve;
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
      heard();
    });
  },
});
await new Promise<void>((resolve) => relay.listen(0, '127.0.0.1', resolve));
after(() => new Promise<void>((resolve) => relay.close(() => resolve())));
const { client, db, later } = await startTestApp({
  PARLEY_SMTP_URL: `smtp://127.0.0.1:${(relay.server.address() as AddressInfo).port}`,
});

test('a relay that takes an email after it was told as failed changes nothing', async () => {
  const domain = await client.request<EmailDomain>('POST', '/v1/email-domains', {
    kind: 'custom',
    domain: 'acme.example',
  });
  await db.run(sql`update email_domains set verification_status = 'verified' where id = ${domain.body.id}`);
  const body = { recipient_consent: true, to: ['bob@example.org'], subject: 'Hello' };
  const post = () => client.request('POST', '/v1/emails', body, { 'idempotency-key': 'late' });
  const first = post();
  await message_heard;
  await later(60);
  const [email] = (await client.request<{ items: Email[] }>('GET', '/v1/emails')).body.items;
  assert.equal(email!.status, 'failed');
  answer();
  assert.equal((await first).status, 502);

  assert.equal((await post()).status, 502);
  const kept = await client.request<Email>('GET', `/v1/emails/${email!.id}`);
  assert.deepEqual([kept.body.status, kept.body.sent_at], ['failed', null]);
  const steps = await client.request<{ items: { kind: string }[] }>('GET', `/v1/emails/${email!.id}/events`);
  assert.deepEqual(
    steps.body.items.map(({ kind }) => kind),
    ['send_failed'],
  );
  const events = await client.request<{ items: { type: string }[] }>(
    'GET',
    `/v1/events?resource_id=${email!.id}`,
  );
  assert.deepEqual(
    events.body.items.map(({ type }) => type),
    ['email.send_failed'],
  );
  const { totals } = (await client.request<{ totals: Record<string, number> }>('GET', '/v1/emails/stats'))
    .body;
  assert.deepEqual([totals.sent, totals.delivered, totals.rejected], [0, 0, 1]);
});
