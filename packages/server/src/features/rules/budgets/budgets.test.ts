// Budgets over HTTP: who may set them, what they count, and that they hold exactly under concurrent requests.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, test } from 'node:test';
import type { Call } from '@parley/contract/channels/calls/call-records';
import type { Sms } from '@parley/contract/channels/sms/sms';
import type { Budget } from '@parley/contract/rules/spending/budgets';
import { type Client, startTestApp } from '../../../../testing/app.ts';
import { issueKey, managedOrganization } from '../../../../testing/managed.ts';
import { waitFor } from '../../../../testing/wait-for.ts';
import { sql } from '../../../platform/db/sql.ts';
import { windowEnd, windowStart } from './windows.ts';

const service = await startTestApp({ PARLEY_MANAGED: 'on' });
const prices = { call_minute: 50_000, sms_segment: 10_000 };
assert.equal((await service.operator.request('PATCH', '/v1/admin/prices', prices)).status, 200);

/** A person and a key of the same new organization. */
function organization() {
  const organization_id = randomUUID();
  return {
    person: service.organization({ organization_id, credential_kind: 'session' }),
    program: service.organization({ organization_id }),
  };
}

async function setBudget(person: Client, budget: Record<string, unknown>): Promise<Budget> {
  const created = await person.request<Budget>('POST', '/v1/budgets', {
    subject: { kind: 'organization', id: null },
    channel: 'sms',
    window: 'day',
    ...budget,
  });
  assert.equal(created.status, 201, created.text);
  return created.body;
}

const text = (client: Client, more: Record<string, unknown> = {}) =>
  client.request<Sms & { code: string; fix: string }>('POST', '/v1/sms', {
    to: '+15005550001',
    body: 'Your table is booked.',
    recipient_consent: true,
    ...more,
  });

const used = async (client: Client, { id }: Budget) =>
  (await client.request<Budget>('GET', `/v1/budgets/${id}`)).body;

describe('a budget', () => {
  test('stops the first message above it, with a code, a fix and the time to wait', async () => {
    const { person, program } = organization();
    const budget = await setBudget(person, { max_count: 2 });
    assert.deepEqual([(await text(program)).status, (await text(program)).status], [201, 201]);
    const refused = await text(program);
    assert.equal(refused.status, 429);
    assert.equal(refused.body.code, 'budget_exceeded');
    assert.match(refused.body.fix, /GET \/v1\/budgets/);
    assert.ok(Number(refused.headers.get('retry-after')) > 0);
    assert.equal((await used(person, budget)).used_count, 2);
  });

  test('in money counts by the price list, also when the server does not charge', async () => {
    const { person, program } = organization();
    const budget = await setBudget(person, { max_amount_micros: 3 * prices.sms_segment });
    // 200 characters are two segments.
    assert.equal((await text(program, { body: 'a'.repeat(200) })).status, 201);
    assert.equal((await text(program, { body: 'a'.repeat(200) })).status, 429);
    assert.equal((await text(program)).status, 201);
    assert.equal((await used(person, budget)).used_micros, 3 * prices.sms_segment);
  });

  test('holds exactly when many requests arrive at once', async () => {
    const { person, program } = organization();
    const budget = await setBudget(person, { max_count: 25 });
    const answers = await Promise.all(Array.from({ length: 60 }, () => text(program)));
    assert.equal(answers.filter(({ status }) => status === 201).length, 25);
    assert.equal(answers.filter(({ status }) => status === 429).length, 35);
    assert.equal((await used(person, budget)).used_count, 25);
  });

  test('counts exactly what is stored of the requests that arrive together', async () => {
    const [full, free] = [organization(), organization()];
    const [full_budget, budget, money] = [
      await setBudget(full.person, { max_count: 1 }),
      await setBudget(free.person, { max_count: 1000 }),
      await setBudget(free.person, { max_amount_micros: 1000 * prices.sms_segment }),
    ];
    // The first text creates the counters, so that the next ones are counted by the statement that stores them.
    for (const { program } of [full, free]) assert.equal((await text(program)).status, 201);
    const to = '+15005550003';
    const recipient = { recipient: to };
    assert.equal((await free.program.request('POST', '/v1/sms/suppressions', recipient)).status, 201);
    const key = { 'idempotency-key': randomUUID() };
    const long = { body: 'a'.repeat(200) };
    const answers = await Promise.all([
      ...[{}, long, {}, long].map((more) => text(free.program, more)),
      ...[1, 2].map(() => text(free.program, { to })),
      ...[1, 2].map(() => text(full.program)),
    ]);
    assert.deepEqual(
      answers.map(({ status }) => status),
      [201, 201, 201, 201, 422, 422, 429, 429],
    );
    const again = () =>
      free.program.request(
        'POST',
        '/v1/sms',
        { to: '+15005550001', body: 'Again', recipient_consent: true },
        key,
      );
    assert.deepEqual([(await again()).status, (await again()).status], [201, 201]);
    assert.equal((await used(full.person, full_budget)).used_count, 1);
    assert.equal((await used(free.person, budget)).used_count, 6);
    assert.equal((await used(free.person, money)).used_micros, 8 * prices.sms_segment);
  });

  test('of another channel, another agent or another organization counts nothing', async () => {
    const { person, program } = organization();
    const emails = await setBudget(person, { channel: 'emails', max_count: 0 });
    await setBudget(organization().person, { max_count: 0 });
    assert.equal((await text(program)).status, 201);
    assert.equal((await used(person, emails)).used_count, 0);
  });

  test('reports 50, 80 and 100 percent once each', async () => {
    const { person, program } = organization();
    const budget = await setBudget(person, { max_count: 5 });
    for (let sent = 0; sent < 6; sent++) await text(program);
    const { body } = await person.request<{ items: { data: { percent: number } }[] }>(
      'GET',
      `/v1/events?type=budget.threshold&resource_id=${budget.id}`,
    );
    assert.deepEqual(
      body.items.map(({ data }) => data.percent).sort((a, b) => a - b),
      [50, 80, 100],
    );
  });

  test('is changed and deleted by a person; then it applies at once', async () => {
    const { person, program } = organization();
    const budget = await setBudget(person, { max_count: 0 });
    assert.equal((await text(program)).status, 429);
    await person.request('PATCH', `/v1/budgets/${budget.id}`, { max_count: 1 });
    assert.equal((await text(program)).status, 201);
    assert.equal((await text(program)).status, 429);
    assert.equal((await person.request('DELETE', `/v1/budgets/${budget.id}`)).status, 204);
    assert.equal((await text(program)).status, 201);
    assert.equal((await person.request('GET', `/v1/budgets/${budget.id}`)).status, 404);
  });

  test('of a key counts what this key sends', async () => {
    const { owner, client: program } = await managedOrganization(service);
    const { organization_id } = owner;
    const person = service.organization({ organization_id, credential_kind: 'session' });
    const key = await issueKey(service, owner);
    await setBudget(person, { subject: { kind: 'api_key', id: key.id }, max_count: 1 });
    const limited = service.holder(key.key);
    assert.deepEqual([(await text(limited)).status, (await text(limited)).status], [201, 429]);
    assert.equal((await text(program)).status, 201);
  });

  test('does not count what was refused or not stored', async () => {
    const { person, program } = organization();
    const budget = await setBudget(person, { channel: 'all', max_count: 1 });
    await program.request('POST', '/v1/sms/suppressions', { recipient: '+14155550123' });
    assert.equal((await text(program, { to: '+14155550123' })).status, 422);
    const deep = '<div>'.repeat(5000);
    const email = { to: ['bob@example.org'], subject: 'Hello', recipient_consent: true };
    assert.equal((await program.request('POST', '/v1/emails', { ...email, body_html: deep })).status, 422);
    const batch = { emails: [email, { ...email, to: [] }] };
    assert.equal((await program.request('POST', '/v1/email-batches', batch)).status, 422);
    assert.equal((await used(person, budget)).used_count, 0);
    assert.equal((await text(program)).status, 201);
  });

  test('counts a scheduled text when it is sent, and a canceled one never', async () => {
    const { person, program } = organization();
    const budget = await setBudget(person, { max_count: 1 });
    const scheduled_at = new Date(Date.now() + 3_600_000 * 24 * 20).toISOString();
    const { body: canceled } = await text(program, { scheduled_at });
    assert.equal(canceled.hold?.kind, 'schedule');
    assert.equal((await program.request('POST', `/v1/sms/${canceled.id}/cancel`)).status, 200);
    assert.equal((await used(person, budget)).used_count, 0);
    assert.equal((await text(program)).status, 201);
  });

  test('cannot be set, raised or removed by a key', async () => {
    const { person, program } = organization();
    const budget = await setBudget(person, { max_count: 1 });
    for (const [method, path, body] of [
      [
        'POST',
        '/v1/budgets',
        { subject: { kind: 'organization', id: null }, channel: 'sms', window: 'day', max_count: 9 },
      ],
      ['PATCH', `/v1/budgets/${budget.id}`, { max_count: 100 }],
      ['DELETE', `/v1/budgets/${budget.id}`, undefined],
    ] as const) {
      const refused = await program.request<{ code: string }>(method, path, body);
      assert.deepEqual([refused.status, refused.body.code], [403, 'person_required'], method);
    }
  });

  test('needs a limit, and a subject that exists', async () => {
    const { person } = organization();
    const subject = { kind: 'agent', id: randomUUID() };
    const base = { subject, channel: 'sms', window: 'day' };
    assert.equal((await person.request('POST', '/v1/budgets', base)).status, 422);
    const unknown = await person.request<{ code: string }>('POST', '/v1/budgets', { ...base, max_count: 1 });
    assert.deepEqual([unknown.status, unknown.body.code], [422, 'budget_subject_not_found']);
  });

  test('starts again with the next window', async () => {
    const { person, program } = organization();
    await setBudget(person, { max_count: 1, window: 'hour' });
    assert.equal((await text(program)).status, 201);
    const refused = await text(program);
    assert.equal(refused.status, 429);
    await service.later(Number(refused.headers.get('retry-after')) + 1);
    assert.equal((await text(program)).status, 201);
  });
});

describe('a call with a budget in money', () => {
  test('reserves its length, cut to what the budget pays, and gives back what it did not use', async () => {
    const { person, program } = organization();
    const budget = await setBudget(person, { channel: 'calls', max_amount_micros: 2 * prices.call_minute });
    // It is canceled before the answer, so it uses no minute.
    const { body: call } = await program.request<Call>('POST', '/v1/calls', {
      to: '+15005550204',
      recipient_consent: true,
      system_prompt: 'Say hello.',
      max_duration_seconds: 600,
    });
    await waitFor('the reservation', async () =>
      (await used(person, budget)).used_micros === 2 * prices.call_minute ? true : null,
    );
    await program.request('POST', `/v1/calls/${call.id}/cancel`);
    assert.equal((await used(person, budget)).used_micros, 0);
  });

  test('does not keep what a killed process reserved for a call that has ended', async () => {
    const { person } = organization();
    const budget = await setBudget(person, { channel: 'calls', max_amount_micros: 2 * prices.call_minute });
    const { organization_id } = person;
    const day = windowStart('day', Date.parse(budget.created_at));
    await service.db.run(sql`
      insert into budget_uses (organization_id, budget_id, window_start, used_micros)
      values (${organization_id}, ${budget.id}, ${day}, ${prices.call_minute})`);
    await service.db.run(sql`
      insert into budget_reservations
             (organization_id, reference, budget_id, window_start, count, minutes, price_micros, created_at)
      values (${organization_id}, ${randomUUID()}, ${budget.id}, ${day}, 0, 1, ${prices.call_minute}, ${budget.created_at})`);
    assert.equal((await used(person, budget)).used_micros, prices.call_minute);
    await service.later(360);
    await waitFor('the sweep', async () => ((await used(person, budget)).used_micros === 0 ? true : null));
  });

  test('is not dialed when the budget does not pay one minute', async () => {
    const { person, program } = organization();
    await setBudget(person, { channel: 'calls', max_amount_micros: 1 });
    const refused = await program.request<{ code: string }>('POST', '/v1/calls', {
      to: '+15005550201',
      recipient_consent: true,
      system_prompt: 'Say hello.',
    });
    assert.deepEqual([refused.status, refused.body.code], [429, 'budget_exceeded']);
  });
});

describe('the windows of budgets', () => {
  const at = (text: string) => Date.parse(text);

  test('are calendar hours, days and months in UTC', () => {
    const now = at('2026-12-31T23:59:59.999Z');
    assert.equal(windowStart('hour', now).toISOString(), '2026-12-31T23:00:00.000Z');
    assert.equal(windowStart('day', now).toISOString(), '2026-12-31T00:00:00.000Z');
    assert.equal(windowStart('month', now).toISOString(), '2026-12-01T00:00:00.000Z');
    for (const window of ['hour', 'day', 'month'] as const)
      assert.equal(windowEnd(window, now).toISOString(), '2027-01-01T00:00:00.000Z');
  });

  test('do not move when daylight saving time starts or ends', () => {
    for (const day of ['2026-03-29', '2026-10-25'])
      assert.equal(
        windowEnd('day', at(`${day}T00:30:00Z`)).getTime() -
          windowStart('day', at(`${day}T00:30:00Z`)).getTime(),
        86_400_000,
      );
  });
});
