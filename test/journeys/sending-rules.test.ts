// Journey: three processes on one database. Budgets and caps hold exactly over all of them, and what a person approved is sent
// once although the process that took the decision is killed.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { nil_uuid } from '@parley/contract/limits';
import { type Database, openDatabase } from '../../packages/server/src/platform/db/database.ts';
import { sql } from '../../packages/server/src/platform/db/sql.ts';
import { startTwilio, twilio_account, twilio_token } from '../../packages/server/testing/carriers/twilio.ts';
import { createDatabase } from '../../packages/server/testing/database.ts';
import { waitFor } from '../../packages/server/testing/wait-for.ts';
import { startMailSink } from './mail-sink.ts';
import { makeHome, requester, type Service, until, useRemoteSpeech } from './process.ts';

const operator_key = 'an-operator-key-that-only-this-journey-knows';

/** The subjects of the emails that the relay got. */
const relayed: string[] = [];
const twilio = await startTwilio();
const clean: (() => Promise<void>)[] = [];
let services: Service[];
let db: Database;

before(async () => {
  const t = { after: (done: () => Promise<void>) => void clean.push(done) };
  const relay_url = await startMailSink(t, ({ raw, accept }) => {
    relayed.push(/^Subject: (.*)$/m.exec(raw)![1]!.trim());
    accept();
  });
  const database = await createDatabase();
  db = openDatabase({ url: database.url, max_connections: 2 });
  const settings = {
    DATABASE_URL: database.url,
    PARLEY_SHARED_KEY: 'a-long-key-that-only-this-journey-knows',
    PARLEY_OPERATOR_KEY: operator_key,
    PARLEY_MASTER_KEY: Buffer.alloc(32, 1).toString('base64'),
    PARLEY_REQUESTS_PER_MINUTE: '1000000',
    PARLEY_SMTP_URL: relay_url,
    PARLEY_SERVICE_MAIL_PREFIX_USER: 'agent',
    PARLEY_SERVICE_MAIL_PREFIX_ORG: 'house',
    PARLEY_CARRIER: 'twilio',
    TWILIO_ACCOUNT_SID: twilio_account,
    TWILIO_AUTH_TOKEN: twilio_token,
    TWILIO_BASE_URL: twilio.url,
    PARLEY_OFFLINE_LLM_ON_REAL_CALLS: 'on',
    PARLEY_DESTINATIONS: 'US',
    WEBHOOK_PRIVATE_TARGETS: '127.0.0.0/8',
  };
  services = await Promise.all(Array.from({ length: 3 }, () => makeHome(t).start(settings)));
  clean.push(db.close, database.drop);
  const [{ request }] = services as [Service];
  await useRemoteSpeech({ request });
  assert.equal((await request('POST', '/v1/numbers', { country_code: 'US' })).status, 201);
  assert.equal((await request('POST', '/v1/email-domains', { kind: 'service_mail' })).status, 201);
});
after(async () => {
  for (const step of clean) await step();
  await twilio.close();
});

const operator = (of: Service) => requester(of.url, operator_key);
const set = async (method: string, path: string, body: object) => {
  const answer = await operator(services[0]!)<{ id: string }>(method, path, body);
  assert.ok(answer.status < 300, answer.text);
  return answer.body;
};
const text = (n: number) => ({ to: `+1415555${1000 + n}`, body: `Text ${n}`, recipient_consent: true });
const email = (n: number) => ({ to: [`p${n}@example.org`], subject: `Email ${n}`, recipient_consent: true });
const call = (n: number) => ({ to: `+1415555${2000 + n}`, recipient_consent: true });

/** Sends requests over all processes at the same time, and counts the responses by status and code. */
async function burst(path: string, count: number, bodyOf: (n: number) => object) {
  const answers = await Promise.all(
    Array.from({ length: count }, (_, n) => services[n % 3]!.request('POST', path, bodyOf(n))),
  );
  const kinds = answers.map(({ status, body }) => (status === 201 ? 'created' : String(body.code)));
  return Object.fromEntries(
    [...new Set(kinds)].map((kind) => [kind, kinds.filter((each) => each === kind).length]),
  );
}

test('budgets and caps hold exactly over three processes', async () => {
  const subject = { kind: 'organization', id: null };
  const limits = [
    { channel: 'sms', window: 'day', max_count: 20 },
    { channel: 'emails', window: 'month', max_count: 13 },
    { channel: 'all', window: 'month', max_count: 1000 },
  ];
  // Before the first request to send: a process that has read rules before uses them for up to a second.
  const budgets: { id: string }[] = [];
  for (const limit of limits) budgets.push(await set('POST', '/v1/budgets', { subject, ...limit }));
  // The cap of calls per hour, as an operator of several organizations sets it.
  await db.run(sql`
    insert into organizations (id, name, origin, balance_micros, created_at, updated_at, calls_per_hour)
    values (${nil_uuid}, 'Own', 'human', 0, now(), now(), 4)
    on conflict (id) do update set calls_per_hour = 4`);
  const [texts, emails, calls] = await Promise.all([
    burst('/v1/sms', 45, text),
    burst('/v1/emails', 36, email),
    burst('/v1/calls', 12, call),
  ]);
  assert.deepEqual(texts, { created: 20, budget_exceeded: 25 });
  assert.deepEqual(emails, { created: 13, budget_exceeded: 23 });
  assert.deepEqual(calls, { created: 4, velocity_capped: 8 });
  const used = await Promise.all(
    budgets.map(
      async ({ id }) =>
        (await services[2]!.request<{ used_count: number }>('GET', `/v1/budgets/${id}`)).body.used_count,
    ),
  );
  assert.deepEqual(used, [20, 13, 20 + 13 + 4]);
  await until(() => twilio.messages.length === 20);
  assert.equal(relayed.length, 13);
});

type Held = { id: string; status: string; hold: { approval_id: string } | null };
type Approval = { id: string; payload_sha256: string };

/** Instead of waiting until the leases and deadlines of a killed process are over. */
async function letTimePass(): Promise<void> {
  await db.run(sql`
    update sms_messages set next_attempt_at = now(), handed_at = handed_at - interval '1 minute'
     where status = 'queued' and hold is null and claims > 0`);
  await db.run(sql`
    update emails set send_deadline = now() where status = 'queued' and send_deadline is not null`);
  await db.run(sql`update jobs set run_at = now() where kind in ('send_held_email', 'close_lost_emails')`);
}

test('what was approved is sent once, although the process is killed between the approval and the send', async () => {
  const [first, second] = services as [Service, Service];
  for (const { id } of (await operator(first)<{ items: { id: string }[] }>('GET', '/v1/budgets')).body.items)
    await set('DELETE', `/v1/budgets/${id}`, {});
  const rules = [{ name: 'All', when: ['always'], then: 'hold' }];
  await set('PUT', '/v1/approval-policy', { rules });
  const before = { texts: twilio.messages.length, emails: relayed.length };
  const numbers = Array.from({ length: 8 }, (_, n) => 100 + n);
  const held: Held[] = [];
  for (const n of numbers) {
    held.push((await first.request<Held>('POST', '/v1/sms', text(n))).body);
    held.push((await first.request<Held>('POST', '/v1/emails', email(n))).body);
  }
  assert.ok(held.every(({ hold }) => hold !== null));

  const approveAll = (by: Service) =>
    Promise.allSettled(
      held.map(async ({ hold }) => {
        const path = `/v1/approvals/${hold!.approval_id}`;
        const { payload_sha256 } = (await operator(by)<Approval>('GET', path)).body;
        return operator(by)('POST', `${path}/approve`, { payload_sha256 });
      }),
    );
  const approving = approveAll(first);
  await until(() => twilio.messages.length > before.texts || relayed.length > before.emails);
  // Some decisions are made and some are not; some messages are sent, some may be.
  await first.kill();
  await approving;
  await approveAll(second);
  // Less than the lease of an ordinary job, although the killed process was looking for texts that are due.
  await waitFor(
    'the texts that the killed process had not claimed are sent',
    async () =>
      (await db.rows(sql`select from sms_messages where status = 'queued' and claims = 0`)).length === 0,
    { timeout_ms: 40_000 },
  );
  const open = () =>
    db.rows(sql`
      select id from sms_messages where direction = 'outbound' and status = 'queued'
      union all select id from emails where direction = 'outbound' and status = 'queued'`);
  // Not all the time: the other processes must be able to finish what they have claimed.
  let passes_at_ms = 0;
  await until(async () => {
    if (performance.now() >= passes_at_ms) {
      await letTimePass();
      passes_at_ms = performance.now() + 5000;
    }
    return (await open()).length === 0;
  });

  const texts = twilio.messages.slice(before.texts).map(({ body }) => body);
  assert.deepEqual(texts.sort(), numbers.map((n) => `Text ${n}`).sort());
  const emails = relayed.slice(before.emails);
  assert.deepEqual([...new Set(emails)].sort(), emails.sort(), 'no email is sent twice');
  const rows = await db.rows<{ subject: string; status: string; end_reason: string | null }>(sql`
    select subject, status, end_reason from emails where subject = any(${numbers.map((n) => `Email ${n}`)})`);
  for (const { subject, status, end_reason } of rows) {
    // A process that is killed while it hands an email over cannot know whether the relay took it.
    if (end_reason === 'unconfirmed') continue;
    assert.ok(emails.includes(subject), `${subject} is ${status}, but was not sent`);
  }
});
