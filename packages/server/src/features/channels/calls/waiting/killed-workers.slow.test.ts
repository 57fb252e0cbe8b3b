// Scheduled texts and calls while worker processes are killed: each is handed to the carrier once.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Call } from '@parley/contract/channels/calls/call-records';
import type { Sms } from '@parley/contract/channels/sms/sms';
import { startTestApp } from '../../../../../testing/app.ts';
import { callWorkers } from '../../../../../testing/call-workers.ts';
import { startTwilio, twilio_account, twilio_token } from '../../../../../testing/carriers/twilio.ts';
import { waitFor } from '../../../../../testing/wait-for.ts';
import { sql } from '../../../../platform/db/sql.ts';

const texts = 12;
const calls = 6;

const twilio = await startTwilio();
after(() => twilio.close());
const carrier = {
  PARLEY_CARRIER: 'twilio',
  TWILIO_ACCOUNT_SID: twilio_account,
  TWILIO_AUTH_TOKEN: twilio_token,
  TWILIO_BASE_URL: twilio.url,
  PARLEY_OFFLINE_LLM_ON_REAL_CALLS: 'on',
};
// This process only takes requests.
const service = await startTestApp({ ...carrier, PARLEY_ROLES: 'api' });
const { client, db } = service;

const { start: startWorker, kill } = callWorkers(service, carrier);

const in_an_hour = new Date(Date.now() + 3_600_000).toISOString();
async function create<T>(path: string, body: object): Promise<T> {
  const response = await client.request<T>('POST', path, {
    recipient_consent: true,
    scheduled_at: in_an_hour,
    ...body,
  });
  assert.equal(response.status, 201, response.text);
  return response.body;
}

/** Instead of waiting for an hour. */
async function letTimeCome(): Promise<void> {
  await db.run(sql`update sms_messages set next_attempt_at = now() where hold ->> 'kind' = 'schedule'`);
  await db.run(sql`
    update calls set hold = json_build_object('kind', 'schedule', 'until', iso(now()), 'approval_id', null, 'message', '')
     where hold ->> 'kind' = 'schedule'`);
  await db.run(sql`update jobs set run_at = now() where kind = 'release_call'`);
}
/** Instead of waiting until the leases of a killed process run out: its texts are looked up at the carrier. */
const letLeasesRunOut = () =>
  db.run(sql`
    update sms_messages set next_attempt_at = now(), handed_at = handed_at - interval '1 minute'
     where status = 'queued' and claims > 0`);

test('scheduled texts and calls survive kill -9, and two workers never hand over the same', {
  timeout: 170_000,
}, async () => {
  const number = await client.request('POST', '/v1/numbers', { country_code: 'US' });
  assert.equal(number.status, 201, number.text);
  const first = await startWorker();
  const bodies = Array.from({ length: texts }, (_, n) => `Scheduled text ${n}`);
  for (const body of bodies) await create<Sms>('/v1/sms', { to: '+14155550301', body });
  await letTimeCome();
  await waitFor('the first text', async () => twilio.messages.length > 0);
  // Some of its texts are sent, some may be, some are not.
  await kill(first);
  const recipients = Array.from({ length: calls }, (_, n) => `+1415555040${n}`);
  for (const to of recipients) await create<Call>('/v1/calls', { to, ring_timeout_seconds: 120 });

  await Promise.all([startWorker(), startWorker()]);
  await letTimeCome();
  await letLeasesRunOut();
  const openTexts = () => db.rows(sql`select id from sms_messages where status = 'queued'`);
  await waitFor('every text is sent', async () => (await openTexts()).length === 0, { timeout_ms: 120_000 });
  assert.deepEqual(twilio.messages.map(({ body }) => body).sort(), [...bodies].sort());

  const placed: (string | null)[] = [];
  for (let n = 0; n < calls; n++) placed.push((await twilio.phone.next()).form.get('To'));
  assert.deepEqual(placed.sort(), recipients);
  const [dialed] = await db.rows<{ count: number }>(
    sql`select count(*)::int as count from call_events where kind = 'dialed'`,
  );
  assert.equal(dialed!.count, calls, 'each was claimed once');
});
