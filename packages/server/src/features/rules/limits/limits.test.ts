// Caps per hour and the kill switch, used by a test operation in the same way as by calls, emails and texts.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { KillSwitch } from '@parley/contract/access/admin';
import { defineOperations } from '@parley/contract/operation';
import { z } from 'zod';
import { type Client, startTestApp } from '../../../../testing/app.ts';
import { managedOrganization } from '../../../../testing/managed.ts';
import { readConfig } from '../../../config/config.ts';
import { type Clock, systemClock } from '../../../platform/clock.ts';
import { type Database, openDatabase } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/sql.ts';
import { ceilings } from '../../../platform/http/ceilings.ts';
import { type Caller, routesOf } from '../../../platform/http/context.ts';
import { failedCredentials } from '../../../platform/http/failed-credentials.ts';
import { httpServer } from '../../../platform/http/server.ts';
import { idempotency } from '../../../platform/idempotency.ts';
import { uuidv7Ids } from '../../../platform/ids.ts';
import { makeLog } from '../../../platform/log.ts';
import { makeMetrics } from '../../../platform/metrics.ts';
import { rateLimiter } from '../../../platform/rate-limit.ts';
import { carrierRegistry } from '../../../providers/carrier/registry.ts';
import { auditFeature } from '../../access/audit/index.ts';
import { admissionFeature, guardCarriers } from '../admission/index.ts';
import type { Budgets } from '../budgets/index.ts';
import { fundsFeature } from '../funds/index.ts';
import { no_rules } from '../sending-rules/rules.ts';
import { channelLimits } from './channel-limits.ts';
import { hour_ms, interval_ms, velocityOf } from './velocity.ts';

const managed = await startTestApp({ PARLEY_MANAGED: 'on' });
const { client, operator } = managed;

const scratch = defineOperations('scratch', 'Creates something that goes out.', {
  create: {
    method: 'POST',
    path: '/v1/scratch/{channel}',
    summary: 'Create',
    params: z.strictObject({ channel: z.enum(['calls', 'emails', 'sms']) }),
    query: z.strictObject({ fails: z.literal('yes').optional() }),
    success: { status: 204 },
  },
});

/** In place of one process of several: its own connections and its own caches. */
function scratchProcess(db: Database, organization_id: string) {
  const clock = systemClock();
  const ids = uuidv7Ids(clock);
  const log = makeLog({ level: 'silent', show_personal_data: false });
  const admission = scratchAdmission(db, clock);
  const http = httpServer(
    {
      log,
      ids,
      metrics: makeMetrics(),
      limiter: ceilings({
        credentials: rateLimiter({ db, limit_per_minute: 100_000 }),
        organizations: rateLimiter({ db, limit_per_minute: 100_000 }),
      }),
      failures: failedCredentials({ limit_per_minute: 60 }),
      idempotency: idempotency({ db, clock }),
      authenticators: [() => callerOf(organization_id)],
    },
    [
      routesOf(scratch, {
        create: async ({ params, query }, { organization_id }) => {
          const decision = await admission.admit('create', {
            organization_id,
            channel: params.channel,
            origin: 'api',
            recipients: [],
            consent: 'warranted',
          });
          if (decision.outcome !== 'allow') throw decision.error;
          return db.transaction(async (tx) => {
            await decision.commit?.(tx);
            if (query.fails) throw new Error('the create fails afterwards');
            return undefined;
          });
        },
      }),
    ],
  );
  const send = async (channel: string, query = '') => {
    const response = await http.inject({
      method: 'POST',
      url: `/v1/scratch/${channel}${query}`,
      headers: { authorization: 'Bearer x' },
    });
    return {
      status: response.statusCode,
      headers: response.headers,
      body: response.body ? response.json() : null,
    };
  };
  return { send, clock, http };
}

/** With the real limits and no other rule. */
function scratchAdmission(db: Database, clock: Clock) {
  const ids = uuidv7Ids(clock);
  const config = readConfig({}, process.cwd());
  const audit = auditFeature({ db, clock, ids }).log;
  return admissionFeature({
    config,
    limits: channelLimits({ db, clock, audit, config }),
    clock,
    log: makeLog({ level: 'silent', show_personal_data: false }),
    tracing: null,
    funds: fundsFeature({ db, clock, ids, audit, charging: false }).service,
    budgets: { applicable: () => null } as unknown as Budgets,
    quiet_hours: { judge: () => null },
    recipient_limits: { count: async () => assert.fail(), uncount: async () => {} },
    rules: { of: () => no_rules },
    carriers: guardCarriers(carrierRegistry([], null)),
    numbers: { heldCountries: async () => [] },
    providers: { has: async () => true },
    consents: {
      needsRecord: () => false,
      find: async () => null,
      condition: () => assert.fail(),
      stoppedCalls: () => [],
    },
    approvals: { judge: () => ({ outcome: 'skip' }) },
    agents: { creatorOf: () => null },
    conversations: {
      threads: async () => assert.fail(),
      writers: async () => assert.fail(),
      exists: async () => assert.fail(),
      spend: async () => assert.fail(),
      giveBack: async () => assert.fail(),
    },
  });
}

const callerOf = (organization_id: string): Caller => ({
  identity: {
    auth_kind: 'apikey',
    organization_id,
    user_id: organization_id,
    email: null,
    name: null,
    superadmin: false,
  },
  credential_kind: 'api_key',
  credential_id: 'scratch',
  scopes: ['*'],
  expires_ms: null,
  superadmin_withheld: false,
  role: 'owner',
});

const cap = (organization_id: string, caps: Record<string, number | null>, as: Client = operator) =>
  as.request('PATCH', `/v1/admin/organizations/${organization_id}`, { velocity_caps: caps });

describe('the cap of an organization of agent origin', () => {
  test('is counted over several processes, and never exceeded by concurrent requests', async () => {
    const { organization } = await managedOrganization(managed, { origin: 'agent' });
    const other_db = openDatabase({ url: managed.database_url, max_connections: 8 });
    try {
      const processes = [
        scratchProcess(managed.db, organization.id),
        scratchProcess(other_db, organization.id),
      ];
      const responses = await Promise.all(
        Array.from({ length: 50 }, (_, i) => processes[i % 2]!.send('calls')),
      );
      const statuses = responses.map((response) => response.status);
      assert.equal(statuses.filter((status) => status === 204).length, 20);
      assert.equal(statuses.filter((status) => status === 429).length, 30);
    } finally {
      await other_db.close();
    }
  });

  test('returns 429 velocity_capped with the numbers of the cap', async () => {
    const { organization } = await managedOrganization(managed, { origin: 'agent' });
    await cap(organization.id, { sms: 2 });
    const { send } = scratchProcess(managed.db, organization.id);
    assert.equal((await send('sms')).status, 204);
    assert.equal((await send('sms')).status, 204);
    const refused = await send('sms');
    assert.deepEqual([refused.status, refused.body.code], [429, 'velocity_capped']);
    const wait = Number(refused.headers['retry-after']);
    assert.ok(wait > 3590 && wait <= 3600, String(wait));
    assert.equal(refused.headers['ratelimit-limit'], '2');
    assert.equal(refused.headers['ratelimit-remaining'], '0');
    assert.ok(Number(refused.headers['ratelimit-reset']) >= wait);
    assert.equal((await send('emails')).status, 204, 'every channel has its own');
  });

  test('is available again after an hour', async () => {
    const { organization } = await managedOrganization(managed, { origin: 'agent' });
    await cap(organization.id, { calls: 1 });
    const { send, clock } = scratchProcess(managed.db, organization.id);
    assert.equal((await send('calls')).status, 204);
    const refused = await send('calls');
    assert.equal(refused.status, 429);
    clock.moveTo(59 * 60_000);
    assert.equal((await send('calls')).status, 429);
    clock.moveTo(Number(refused.headers['retry-after']) * 1000);
    assert.equal((await send('calls')).status, 204);
  });

  test('does not count a record that was not created', async () => {
    const { organization } = await managedOrganization(managed, { origin: 'agent' });
    await cap(organization.id, { calls: 1 });
    const { send } = scratchProcess(managed.db, organization.id);
    assert.equal((await send('calls', '?fails=yes')).status, 500);
    assert.equal((await send('calls')).status, 204);
  });

  test('of zero stops the channel for the organization', async () => {
    const { organization } = await managedOrganization(managed, { origin: 'agent' });
    await cap(organization.id, { calls: 0 });
    const { send } = scratchProcess(managed.db, organization.id);
    const refused = await send('calls');
    assert.deepEqual([refused.status, refused.headers['retry-after']], [429, '3600']);
  });
});

test('an organization of human origin has no cap unless one is set', async () => {
  const { organization } = await managedOrganization(managed);
  const { send } = scratchProcess(managed.db, organization.id);
  for (let i = 0; i < 25; i++) assert.equal((await send('calls')).status, 204);
  const counted = await managed.db.rows(
    sql`select 1 from velocity_minutes where organization_id = ${organization.id}`,
  );
  assert.deepEqual(counted, []);
  await cap(organization.id, { emails: 1 });
  const capped = scratchProcess(managed.db, organization.id);
  assert.equal((await capped.send('emails')).status, 204);
  assert.equal((await capped.send('emails')).status, 429);
});

describe('the kill switch', () => {
  const turn = (body: Partial<KillSwitch>) =>
    operator.request<KillSwitch>('PATCH', '/v1/admin/kill-switch', body);

  test('stops one channel for every organization, also on other processes, until it is switched off', async () => {
    const { organization } = await managedOrganization(managed);
    const other_db = openDatabase({ url: managed.database_url, max_connections: 4 });
    try {
      const { send } = scratchProcess(other_db, organization.id);
      assert.equal((await send('calls')).status, 204);
      assert.deepEqual((await turn({ calls: true })).body, { calls: true, emails: false, sms: false });
      const began = performance.now();
      let response = await send('calls');
      while (response.status !== 429) {
        assert.ok(performance.now() - began < 20_000, 'still open');
        response = await send('calls');
      }
      assert.equal(response.body.code, 'kill_switch');
      assert.equal(response.headers['retry-after'], '60');
      assert.match(String(response.headers['ratelimit-limit']), /^\d+$/);
      assert.equal((await send('emails')).status, 204);
      await turn({ calls: false });
      while ((await send('calls')).status !== 204) assert.ok(performance.now() - began < 20_000);
    } finally {
      await turn({ calls: false });
      await other_db.close();
    }
  });

  test('U7: tells everybody that a person stopped the channel, and does not ask for a repetition', async () => {
    const { client: owner } = await managedOrganization(managed);
    const open = { calls: 'open', emails: 'open', sms: 'open' };
    assert.deepEqual((await owner.request('GET', '/v1/channels')).body, open);
    await turn({ sms: true });
    try {
      assert.deepEqual((await owner.request('GET', '/v1/channels')).body, { ...open, sms: 'stopped' });
      const text = { to: '+15005550001', body: 'Hello', recipient_consent: true };
      let refusal = await owner.request<{ title: string; fix: string }>('POST', '/v1/sms', text);
      for (let tries = 0; refusal.status !== 429 && tries < 500; tries++)
        refusal = await owner.request('POST', '/v1/sms', text);
      assert.match(refusal.body.title, /A person stopped this channel/);
      assert.doesNotMatch(refusal.body.fix, /try again later/i);
    } finally {
      await turn({ sms: false });
    }
    assert.deepEqual((await owner.request('GET', '/v1/channels')).body, open);
  });

  test('can be read and changed by superadmins only', async () => {
    const { client: owner } = await managedOrganization(managed);
    assert.equal((await owner.request('GET', '/v1/admin/kill-switch')).status, 404);
    assert.equal((await owner.request('PATCH', '/v1/admin/kill-switch', { calls: true })).status, 404);
    assert.deepEqual((await client.request('GET', '/v1/admin/kill-switch')).body, {
      calls: false,
      emails: false,
      sms: false,
    });
  });
});

describe('the velocity', () => {
  const minute = 60_000;
  const now = 100 * minute;

  test('becomes available an hour after the last message of the interval that expires (R7)', () => {
    const counts = [
      { last_ms: 50 * minute, count: 1 },
      { last_ms: 60 * minute, count: 3 },
      { last_ms: 100 * minute, count: 2 },
    ];
    assert.deepEqual(velocityOf(counts, 5, now), {
      allowed: false,
      limit: 5,
      remaining: 0,
      reset_seconds: 3600,
      // The first interval removes the excess, and the second one makes one more possible.
      retry_after_seconds: (60 + 60 - 100) * 60,
    });
  });

  test('of an empty hour allows the whole cap', () => {
    assert.deepEqual(velocityOf([], 5, now), {
      allowed: true,
      limit: 5,
      remaining: 5,
      reset_seconds: 0,
      retry_after_seconds: 0,
    });
  });
});

test('no period of 3600 s exceeds the cap, and a client that waits for Retry-After, at most 3600, may send (R7)', async () => {
  const { organization } = await managedOrganization(managed, { origin: 'agent' });
  const allowed = 4;
  await cap(organization.id, { sms: allowed });
  const { send, clock } = scratchProcess(managed.db, organization.id);
  const sent_ms: number[] = [];
  // Bursts within an interval and across its end, and pauses of every length; the same in every run.
  const pauses_ms = [
    0,
    1,
    interval_ms - 1,
    interval_ms,
    777_000,
    2_000_000,
    3,
    hour_ms - 4_000_000 / 2,
    5000,
  ];
  for (let step = 0; step < 60; step++) {
    const response = await send('sms');
    if (response.status === 204) sent_ms.push(clock.ms());
    else {
      const wait_seconds = Number(response.headers['retry-after']);
      assert.ok(wait_seconds >= 1 && wait_seconds <= 3600, String(wait_seconds));
      clock.moveTo(clock.offset_ms() + wait_seconds * 1000);
      assert.equal((await send('sms')).status, 204, 'sending works after Retry-After');
      sent_ms.push(clock.ms());
    }
    clock.moveTo(clock.offset_ms() + pauses_ms[step % pauses_ms.length]!);
  }
  for (const [index, first] of sent_ms.entries()) {
    // The time is read after the response, so allow a second on a slow machine.
    const within = sent_ms.slice(index).filter((ms) => ms < first + hour_ms - 1000);
    assert.ok(within.length <= allowed, `${within.length} within an hour`);
  }
});
