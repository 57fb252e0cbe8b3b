// R1: the rules apply at hand-over. With the kill switch on, nothing reaches a provider, whatever requested it.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { after, beforeEach, describe, test } from 'node:test';
import type { KillSwitch } from '@parley/contract/access/admin';
import type { Call } from '@parley/contract/channels/calls/call-records';
import type { Email } from '@parley/contract/channels/emails/email-records';
import type { Sms } from '@parley/contract/channels/sms/sms';
import { checkNames } from '@parley/contract/rules/admission-checks';
import type { Balance } from '@parley/contract/rules/spending/funds';
import { SMTPServer } from 'smtp-server';
import { prompt_agent } from '../../../../testing/agents.ts';
import { type Client, startTestApp } from '../../../../testing/app.ts';
import { codedSpeech, ended, eventually, people, place, timeline, until } from '../../../../testing/calls.ts';
import { type ForwardLinks, forwardLinks, submitForm } from '../../../../testing/forwards.ts';
import { managedOrganization } from '../../../../testing/managed.ts';
import { visitor } from '../../../../testing/visitor.ts';
import { sql } from '../../../platform/db/sql.ts';

/** The relay that receives every email. */
const relayed: string[][] = [];
/** Links of confirmation mails to forward addresses that were not used yet. */
const unused_links: ForwardLinks[] = [];
const relay = new SMTPServer({
  closeTimeout: 100,
  authOptional: true,
  disabledCommands: ['STARTTLS', 'AUTH'],
  async onData(stream, { envelope }, done) {
    const links = forwardLinks((await buffer(stream)).toString());
    if (links) unused_links.push(links);
    relayed.push(envelope.rcptTo.map(({ address }) => address));
    done();
  },
});
relay.listen(0, '127.0.0.1');
await once(relay.server, 'listening');
after(() => new Promise<void>((resolve) => relay.close(() => resolve())));

const service = await startTestApp(
  {
    PARLEY_MANAGED: 'on',
    PARLEY_SANDBOX: 'on',
    PARLEY_FUNDS: 'on',
    PARLEY_SIGN_UP: 'open',
    PARLEY_SMTP_URL: `smtp://127.0.0.1:${(relay.server.address() as AddressInfo).port}`,
  },
  { speech: () => codedSpeech() },
);
const { app, client, operator, db, later, url } = service;
const turn = async (body: Partial<KillSwitch>) => {
  assert.equal((await operator.request('PATCH', '/v1/admin/kill-switch', body)).status, 200);
};
const everything = (stopped: boolean): KillSwitch => ({ calls: stopped, emails: stopped, sms: stopped });
beforeEach(() => turn(everything(false)));

const person = '+14155552671';
async function desk(of: Client) {
  const number = await of.request<{ id: string; e164: string }>('POST', '/v1/numbers', {
    country_code: 'US',
  });
  assert.equal(number.status, 201, number.text);
  const agent = await of.request<{ id: string }>('POST', '/v1/agents', prompt_agent);
  const agents = { voice_agent_id: agent.body.id, sms_agent_id: agent.body.id };
  await of.request('PATCH', `/v1/numbers/${number.body.id}`, agents);
  return { ...number.body, agent_id: agent.body.id };
}
const textIn = async (of: Client, to: string, body: string, from = person) => {
  const response = await of.request<Sms>('POST', '/v1/sandbox/inbound-sms', { from, to, body });
  assert.equal(response.status, 201, response.text);
  await app.jobs.drain();
  return response.body;
};
const outbound = async (of: Client) =>
  (await of.request<{ items: Sms[] }>('GET', '/v1/sms?direction=outbound')).body.items;
const eventsOf = async (of: Client, type: string) =>
  (await of.request<{ items: { data: Record<string, unknown> }[] }>('GET', `/v1/events?type=${type}`)).body
    .items;
/** What was handed over to the carrier: texts that left the queue, and calls that were dialed. */
const handed = async (of: Client) =>
  (await of.request<{ items: { channel: string }[] }>('GET', '/v1/sandbox/outbox')).body.items.filter(
    ({ channel }) => channel !== 'email',
  ).length;
async function mailbox(of: Client, patch: object = {}) {
  const created = await of.request<{ id: string; default_address: string }>('POST', '/v1/email-domains', {
    kind: 'service_mail',
    local_prefix_user: 'desk',
    local_prefix_org: of.organization_id.slice(-12),
  });
  assert.equal(created.status, 201, created.text);
  await of.request('PATCH', `/v1/email-domains/${created.body.id}`, patch);
  await app.jobs.drain();
  for (const { confirm } of unused_links.splice(0)) assert.equal((await submitForm(confirm)).status, 200);
  return created.body;
}
const mailIn = async (of: Client, to: string) => {
  const response = await of.request<Email>('POST', '/v1/sandbox/inbound-emails', {
    from: 'bob@example.org',
    to: [to],
    subject: 'Hi',
    body_text: 'Hello',
  });
  assert.equal(response.status, 201, response.text);
  await app.jobs.drain();
  return response.body;
};
const mailTimeline = async (of: Client, id: string) =>
  (
    await of.request<{ items: { kind: string; detail: Record<string, unknown> }[] }>(
      'GET',
      `/v1/emails/${id}/events`,
    )
  ).body.items;

describe('with the kill switch on, nothing reaches a provider (R1)', () => {
  test('from any source: requests, agents, opt-out keywords, forwards, system mail, incoming calls', async () => {
    const { client: own } = await managedOrganization(service);
    const { e164 } = await desk(own);
    const domain = await mailbox(own, { forward_to: ['ana@home.test'] });
    relayed.length = 0;
    await turn(everything(true));
    const requests = [
      () => own.request('POST', '/v1/sms', { to: person, body: 'Hi', recipient_consent: true }),
      () => own.request('POST', '/v1/calls', { to: people.busy, recipient_consent: true }),
      () => own.request('POST', '/v1/emails', { to: ['a@b.test'], subject: 'Hi', recipient_consent: true }),
    ];
    for (const request of requests) {
      const response = await request();
      assert.deepEqual([response.status, response.body.code], [429, 'kill_switch']);
    }
    await textIn(own, e164, 'Are you there?');
    await textIn(own, e164, 'STOP', '+14155552672');
    const mail = await mailIn(own, domain.default_address);
    const called = await own.request<{ is_answered: boolean }>('POST', '/v1/sandbox/inbound-calls', {
      from: '+15005550299',
      to: e164,
    });
    assert.equal(called.body.is_answered, false);
    const signing_up = { name: 'Ana', email: 'ana@new.test', password: 'a long password of ana' };
    assert.equal((await visitor(url).send('/auth/sign-up', signing_up)).status, 303);
    const reply = { body_text: 'Hi', recipient_consent: true };
    assert.equal((await own.request('POST', `/v1/emails/${mail.id}/reply`, reply)).status, 429);
    await later(60);
    assert.equal(await handed(own), 0);
    assert.deepEqual(relayed, []);
    assert.deepEqual(
      (await outbound(own)).map(({ status }) => status),
      ['queued'],
      'the confirmation of STOP waits; the agent was not called',
    );

    await turn(everything(false));
    await later(31);
    assert.deepEqual(relayed.flat().sort(), ['ana@home.test', 'ana@new.test']);
    const answered = (await outbound(own)).map(({ to, status }) => [to, status]).sort();
    assert.deepEqual(answered, [
      [person, 'delivered'],
      ['+14155552672', 'delivered'],
    ]);
    assert.deepEqual((await mailTimeline(own, mail.id)).map(({ kind }) => kind).sort(), [
      'forwarded',
      'received',
    ]);
  });

  test('an incoming call is stored as failed, with the rule that stopped it', async () => {
    const { client: own } = await managedOrganization(service);
    const { e164 } = await desk(own);
    await turn({ calls: true });
    await own.request('POST', '/v1/sandbox/inbound-calls', { from: '+15005550299', to: e164 });
    const [call] = (await own.request<{ items: Call[] }>('GET', '/v1/calls')).body.items;
    assert.deepEqual([call!.direction, call!.status, call!.end_reason], ['inbound', 'failed', 'not_allowed']);
    const broke = (await timeline(own, call!.id)).find(({ kind }) => kind === 'broke');
    assert.equal(broke!.detail.check, 'kill_switch');
    assert.equal((await eventsOf(own, 'call.failed')).length, 1);
  });

  test('a queued call waits in the queue, and is dialed when the switch is off', async () => {
    const { client: own } = await managedOrganization(service);
    const held: Call[] = [];
    // One after the other, so that no number is left for the last one.
    // They ring for long: one that ends by itself would release its number early.
    const ring_timeout_seconds = 120;
    for (let n = 0; n < 4; n++) held.push(await place(own, people.never_answers, { ring_timeout_seconds }));
    const waiting = held.pop()!;
    // A call that is only claimed would go back to the queue when the switch is turned on.
    for (const { id } of held) await until(own, id, 'ringing');
    await turn({ calls: true });
    for (const { id } of held) {
      await own.request('POST', `/v1/calls/${id}/cancel`);
      await ended(own, id);
    }
    await later(1);
    await until(own, waiting.id, 'queued');
    assert.equal(await handed(own), 3);
    await turn({ calls: false });
    await until(own, waiting.id, 'dialing', 'ringing');
    await own.request('POST', `/v1/calls/${waiting.id}/cancel`);
    await ended(own, waiting.id);
  });

  test('a queued call that waited too long ends with a reason', async () => {
    const { client: own } = await managedOrganization(service);
    const first: Call[] = [];
    for (let n = 0; n < 4; n++)
      first.push(await place(own, people.never_answers, { ring_timeout_seconds: 120 }));
    const waiting = first.pop()!;
    await turn({ calls: true });
    for (const { id } of first) await own.request('POST', `/v1/calls/${id}/cancel`);
    await later(601);
    const record = await ended(own, waiting.id);
    assert.deepEqual([record.status, record.end_reason, record.started_at], ['failed', 'not_allowed', null]);
  });

  test('a text that was held back for 15 minutes ends with a reason', async () => {
    const { client: own } = await managedOrganization(service);
    const { e164 } = await desk(own);
    await turn({ sms: true });
    await textIn(own, e164, 'HELP');
    await later(14 * 60);
    assert.deepEqual(
      (await outbound(own)).map(({ status }) => status),
      ['queued'],
    );
    await later(120);
    assert.deepEqual(
      (await outbound(own)).map(({ status, error_code }) => [status, error_code]),
      [['failed', 'not_allowed']],
    );
    assert.equal((await eventsOf(own, 'sms.failed')).length, 1);
    assert.equal(await handed(own), 0);
  });

  test('a text that the switch held back is sent promptly when the switch is off', async () => {
    const { client: own } = await managedOrganization(service);
    const { e164 } = await desk(own);
    await turn({ sms: true });
    await textIn(own, e164, 'HELP');
    assert.equal((await outbound(own))[0]!.status, 'queued');
    await turn({ sms: false });
    await eventually('sent', async () => (await outbound(own))[0]!.status === 'delivered');
  });

  test('an email that it stops between the request and the hand-over waits, and the response says so', async () => {
    const { client: own } = await managedOrganization(service);
    await mailbox(own);
    relayed.length = 0;
    const key = { 'idempotency-key': 'stopped-in-between' };
    const body = { to: ['bob@example.org'], subject: 'Hi', recipient_consent: true };
    const post = () => own.request('POST', '/v1/emails', body, key);
    let sending: ReturnType<typeof post> | undefined;
    // Storing the email waits for this transaction, and the operator is faster.
    await db.transaction(async (tx) => {
      await tx.run(sql`lock table emails in share row exclusive mode`);
      sending = post();
      await eventually('the insert waits', async () => {
        const [row] = await db.rows<{ count: number }>(sql`
          select count(*)::int as count from pg_locks where not granted and relation = 'emails'::regclass`);
        return row!.count > 0;
      });
      await turn({ emails: true });
    });
    const response = await sending!;
    assert.equal(response.status, 201, response.text);
    assert.equal(response.headers.get('parley-hold'), 'kill_switch');
    const { id, status, hold } = response.body as unknown as Email;
    assert.deepEqual([status, hold?.kind], ['queued', 'kill_switch']);
    const [entry] = await mailTimeline(own, id);
    assert.deepEqual([entry!.kind, entry!.detail.kind], ['held', 'kill_switch']);
    assert.deepEqual(relayed, []);
    await turn({ emails: false });
    await later(31);
    assert.deepEqual(relayed, [['bob@example.org']]);
    assert.equal((await own.request<Email>('GET', `/v1/emails/${id}`)).body.status, 'sent');
    const again = await post();
    assert.deepEqual([again.status, again.text], [201, response.text], 'the key keeps its response');
    assert.deepEqual(relayed, [['bob@example.org']]);
  });
});

describe('a reply of an agent obeys the same rules (R1)', () => {
  const silences = async (of: Client) =>
    (await eventsOf(of, 'sms.not_answered')).map(({ data }) => data.reason);

  test('it is not sent to premium numbers or satellite networks', async () => {
    const { client: own } = await managedOrganization(service);
    const { e164 } = await desk(own);
    for (const from of ['+19005550123', '+881612345678', '+870773111632'])
      await textIn(own, e164, 'Hi', from);
    assert.deepEqual(await outbound(own), []);
    assert.deepEqual(await silences(own), Array(3).fill('destination_not_allowed'));
  });

  test('it counts against the cap of the organization', async () => {
    const { client: own, organization } = await managedOrganization(service);
    const { e164 } = await desk(own);
    const caps = (sms: number) =>
      operator.request('PATCH', `/v1/admin/organizations/${organization.id}`, { velocity_caps: { sms } });
    await caps(1);
    await textIn(own, e164, 'Hi', '+14155550001');
    await textIn(own, e164, 'Hi', '+14155550002');
    assert.equal((await outbound(own)).length, 1);
    assert.deepEqual(await silences(own), ['velocity_capped']);
    const refused = await own.request('POST', '/v1/sms', { to: person, body: 'x', recipient_consent: true });
    assert.equal(refused.body.code, 'velocity_capped', 'and it uses up the cap like a request');
  });

  test('it is charged like a text, and not generated without funds', async () => {
    await operator.request('PATCH', '/v1/admin/prices', { sms_segment: 1000 });
    try {
      const { client: own, organization } = await managedOrganization(service);
      const { e164 } = await desk(own);
      const credits = `/v1/admin/organizations/${organization.id}/funds/credits`;
      await operator.request('POST', credits, { amount_micros: 1500 });
      await textIn(own, e164, 'Hi', '+14155550001');
      await textIn(own, e164, 'Hi', '+14155550002');
      assert.equal((await own.request<Balance>('GET', '/v1/funds')).body.balance_micros, 500);
      assert.equal((await outbound(own)).length, 1);
      assert.deepEqual(await silences(own), ['insufficient_funds']);
    } finally {
      await operator.request('PATCH', '/v1/admin/prices', { sms_segment: 0 });
    }
  });
});

describe('a forward obeys the same rules (R1)', () => {
  test('suppressed addresses get nothing, and the others do', async () => {
    const { client: own } = await managedOrganization(service);
    const domain = await mailbox(own, { forward_to: ['ana@home.test', 'gone@home.test'] });
    await own.request('POST', '/v1/email-suppressions', { recipient: 'GONE@home.test' });
    relayed.length = 0;
    const mail = await mailIn(own, domain.default_address);
    assert.deepEqual(relayed, [['ana@home.test']]);
    const failed = (await mailTimeline(own, mail.id)).find(({ kind }) => kind === 'forward_failed');
    assert.deepEqual(failed!.detail, {
      recipients: ['gone@home.test'],
      reason: 'not_allowed',
      check: 'suppression',
    });
    await own.request('POST', '/v1/email-suppressions', { recipient: 'ana@home.test' });
    relayed.length = 0;
    await mailIn(own, domain.default_address);
    assert.deepEqual(relayed, []);
  });

  test('it counts against the cap of the organization, once', async () => {
    const { client: own, organization } = await managedOrganization(service);
    const domain = await mailbox(own, { forward_to: ['ana@home.test'] });
    await client.request('PATCH', `/v1/admin/organizations/${organization.id}`, {
      velocity_caps: { emails: 2 },
    });
    relayed.length = 0;
    const mails: Email[] = [];
    for (let n = 0; n < 3; n++) mails.push(await mailIn(own, domain.default_address));
    assert.equal(relayed.length, 2);
    const failed = (await mailTimeline(own, mails[2]!.id)).find(({ kind }) => kind === 'forward_failed');
    assert.equal(failed!.detail.check, 'velocity');
    const sent = await own.request('POST', '/v1/emails', {
      to: ['a@b.test'],
      subject: 'Hi',
      recipient_consent: true,
    });
    assert.equal(sent.body.code, 'velocity_capped');
  });
});

test('the decision of the hand-over is stored with the record', async () => {
  const { client: own } = await managedOrganization(service);
  await desk(own);
  await mailbox(own);
  const sms = await own.request<Sms>('POST', '/v1/sms', { to: person, body: 'Hi', recipient_consent: true });
  const mail = await own.request<Email>('POST', '/v1/emails', {
    to: ['bob@example.org'],
    subject: 'Hi',
    recipient_consent: true,
  });
  assert.equal(mail.status, 201, mail.text);
  const call = await place(own, people.busy);
  await ended(own, call.id);
  // The sandbox reports the delivery at once, so the report may be stored before the response of the carrier.
  await eventually('delivered', async () => (await outbound(own))[0]!.status === 'delivered');
  const stored = await db.rows<{ admission: string | null }>(sql`
    select admission from sms_messages where id = ${sms.body.id}
    union all select admission from emails where id = ${mail.body.id}
    union all select admission from calls where id = ${call.id}`);
  assert.equal(stored.length, 3);
  for (const { admission } of stored) {
    const { outcome, checks } = JSON.parse(admission!) as { outcome: string; checks: { name: string }[] };
    assert.equal(outcome, 'allow');
    assert.deepEqual(
      checks.map(({ name }) => name),
      [...checkNames],
    );
  }
});
