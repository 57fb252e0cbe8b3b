// Calls that wait: scheduled ones, those that the kill switch holds back, and those that need an approval.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { beforeEach, describe, test } from 'node:test';
import type { Call } from '@parley/contract/channels/calls/call-records';
import type { Hold } from '@parley/contract/rules/approvals/hold';
import { type Client, startTestApp } from '../../../../../testing/app.ts';
import {
  codedSpeech,
  ended,
  eventually,
  people,
  place,
  read,
  timeline,
} from '../../../../../testing/calls.ts';
import { sql } from '../../../../platform/db/sql.ts';
import type { WaitingRef } from '../../../rules/admission/index.ts';

const { app, client, operator, db, organization, later } = await startTestApp(
  {},
  { speech: () => codedSpeech() },
);

const stopCalls = async (calls: boolean) =>
  assert.equal((await operator.request('PATCH', '/v1/admin/kill-switch', { calls })).status, 200);
beforeEach(() => stopCalls(false));

const inSeconds = async (seconds: number) => {
  const { body } = await client.request<{ now: string }>('GET', '/v1/sandbox/clock');
  return new Date(Date.parse(body.now) + seconds * 1000).toISOString();
};
const schedule = async (of: Client, seconds: number, more: object = {}): Promise<Call> =>
  place(of, people.busy, { scheduled_at: await inSeconds(seconds), ...more });
type Response = Call & { code: string };
const patch = (of: Client, id: string, scheduled_at: unknown) =>
  of.request<Response>('PATCH', `/v1/calls/${id}`, { scheduled_at });
const cancel = (of: Client, id: string) => of.request<Response>('POST', `/v1/calls/${id}/cancel`);
const kinds = async (of: Client, id: string) => (await timeline(of, id)).map(({ kind }) => kind);

describe('a scheduled call', () => {
  test('waits in status queued and is dialed once at its time', async () => {
    const own = organization();
    const call = await schedule(own, 3600);
    assert.deepEqual([call.hold?.kind, call.hold?.until], ['schedule', call.scheduled_at]);
    assert.deepEqual(await read(own, call.id), call);
    await later(3500);
    assert.deepEqual(await read(own, call.id), call, 'the time limit of the queue does not apply');
    await later(110);
    const done = await ended(own, call.id);
    assert.deepEqual([done.status, done.hold, done.scheduled_at], ['busy', null, call.scheduled_at]);
    assert.deepEqual(await kinds(own, call.id), [
      'requested',
      'held',
      'released',
      'dialed',
      'placed',
      'declined',
    ]);
  });

  test('needs a time from 10 seconds to 30 days ahead', async () => {
    const own = organization();
    for (const seconds of [-60, 5, 31 * 86_400]) {
      const response = await own.request<Response>('POST', '/v1/calls', {
        to: people.busy,
        recipient_consent: true,
        scheduled_at: await inSeconds(seconds),
      });
      assert.deepEqual([response.status, response.body.code], [422, 'invalid_schedule'], response.text);
    }
  });

  test('can be moved to another time, and then is dialed at that time only', async () => {
    const own = organization();
    const call = await schedule(own, 600);
    const at = await inSeconds(1200);
    const moved = await patch(own, call.id, at);
    assert.deepEqual([moved.status, moved.body.scheduled_at, moved.body.hold?.until], [200, at, at]);
    await later(700);
    assert.equal((await read(own, call.id)).status, 'queued');
    await later(520);
    assert.equal((await ended(own, call.id)).status, 'busy');
    const late = await patch(own, call.id, await inSeconds(600));
    assert.deepEqual([late.status, late.body.code], [409, 'already_handed_over']);
  });

  test('can be canceled, and is never dialed; others cannot change it', async () => {
    const own = organization();
    const call = await schedule(own, 600);
    const other = organization();
    assert.equal((await patch(other, call.id, await inSeconds(900))).status, 404);
    assert.equal((await cancel(other, call.id)).status, 404);
    const canceled = await cancel(own, call.id);
    assert.deepEqual([canceled.body.status, canceled.body.hold], ['canceled', null]);
    await later(700);
    assert.deepEqual(await kinds(own, call.id), ['requested', 'held', 'canceled']);
  });

  test('does not use a number that the organization released meanwhile', async () => {
    const own = organization();
    const number = await own.request<{ id: string }>('POST', '/v1/numbers', { country_code: 'US' });
    const call = await schedule(own, 600);
    assert.equal((await own.request('DELETE', `/v1/numbers/${number.body.id}`)).status, 200);
    await later(700);
    const failed = await ended(own, call.id);
    assert.deepEqual([failed.status, failed.end_reason, failed.started_at], ['failed', 'setup_error', null]);
  });

  test('stores its purpose and credential; a plain call stores only which key started it, and that of a person nothing', async () => {
    const own = organization();
    const person = organization({ credential_kind: 'session' });
    const termsOf = async (id: string) =>
      (await db.maybe<{ terms: object | null }>(sql`select terms from calls where id = ${id}`))!.terms;
    const plain = await place(own, people.busy);
    assert.partialDeepStrictEqual(await termsOf(plain.id), {
      principal: { kind: 'api_key', credential_id: own.key },
      approval_id: null,
      is_counted_at_hand_over: false,
    });
    const by_person = await place(person, people.busy);
    assert.equal(await termsOf(by_person.id), null);
    const held = await schedule(own, 600, { purpose: 'marketing' });
    assert.partialDeepStrictEqual(await termsOf(held.id), {
      purpose: 'marketing',
      principal: { kind: 'api_key' },
      is_counted_at_hand_over: true,
    });
    await ended(own, plain.id);
    await ended(person, by_person.id);
  });
});

describe('the kill switch', () => {
  test('shows in queued calls while it is on, also long after a scheduled time, and then lets them go', async () => {
    const own = organization();
    const call = await schedule(own, 600);
    await stopCalls(true);
    await later(610);
    await later(3600);
    const held = await read(own, call.id);
    assert.deepEqual([held.status, held.hold?.kind], ['queued', 'kill_switch']);
    await stopCalls(false);
    assert.equal((await ended(own, call.id)).status, 'busy');
    assert.deepEqual((await kinds(own, call.id)).slice(0, 6), [
      'requested',
      'held',
      'released',
      'held',
      'released',
      'dialed',
    ]);
  });

  test('ends a scheduled call after a day', async () => {
    const own = organization();
    const call = await schedule(own, 600);
    await stopCalls(true);
    await later(610);
    await eventually('held', async () => (await read(own, call.id)).hold?.kind === 'kill_switch');
    await later(86_500);
    const failed = await ended(own, call.id);
    assert.deepEqual([failed.status, failed.end_reason, failed.hold], ['failed', 'not_allowed', null]);
  });
});

describe('a call that waits for an approval', () => {
  async function waiting(of: Client, seconds: number) {
    const call = await schedule(of, seconds);
    const hold: Hold = {
      kind: 'approval',
      until: await inSeconds(86_400),
      approval_id: randomUUID(),
      message: 'It waits for an approval.',
    };
    await db.run(sql`update calls set hold = ${JSON.stringify(hold)} where id = ${call.id}`);
    await db.run(sql`delete from jobs where kind = 'release_call' and payload ->> 'call_id' = ${call.id}`);
    return { ref: { organization_id: of.organization_id, id: call.id }, id: call.id, hold, call };
  }
  const release = (ref: WaitingRef, approval_id: string) =>
    db.transaction((tx) => app.waiting_calls.release(tx, ref, { approval_id }));

  test('is never dialed, keeps its time, and can be canceled', async () => {
    const own = organization();
    const { ref, id, hold } = await waiting(own, 600);
    await later(700);
    assert.deepEqual((await read(own, id)).hold, hold);
    assert.equal((await patch(own, id, await inSeconds(900))).body.code, 'held');
    assert.equal((await app.waiting_calls.payload(ref))!.to[0], people.busy);
    assert.equal((await cancel(own, id)).body.status, 'canceled');
  });

  test('is released by its own approval, once, and then waits for its time', async () => {
    const own = organization();
    const { ref, id, hold, call } = await waiting(own, 600);
    assert.equal(await release(ref, randomUUID()), false);
    const results = await Promise.all([release(ref, hold.approval_id!), release(ref, hold.approval_id!)]);
    assert.deepEqual(results.sort(), [false, true]);
    assert.deepEqual((await read(own, id)).hold, call.hold);
    await later(610);
    assert.equal((await ended(own, id)).status, 'busy');
  });

  test('is dialed at once when its time is over, and ends when a person rejects it', async () => {
    const own = organization();
    const [approved, rejected] = [await waiting(own, 600), await waiting(own, 600)];
    await later(3600);
    assert.equal(await release(approved.ref, approved.hold.approval_id!), true);
    assert.equal((await ended(own, approved.id)).status, 'busy');
    const reject = () =>
      db.transaction((tx) => app.waiting_calls.cancel(tx, rejected.ref, 'approval_rejected'));
    assert.deepEqual([await reject(), await reject()], [true, false]);
    const call = await read(own, rejected.id);
    assert.deepEqual([call.status, call.end_reason, call.hold], ['canceled', 'approval_rejected', null]);
  });
});

test('a call is placed with the length that a budget pays', async () => {
  const organization_id = randomUUID();
  const person = organization({ organization_id, credential_kind: 'session' });
  assert.equal((await operator.request('PATCH', '/v1/admin/prices', { call_minute: 1000 })).status, 200);
  const budget = await person.request('POST', '/v1/budgets', {
    subject: { kind: 'organization', id: null },
    channel: 'calls',
    window: 'day',
    max_amount_micros: 2500,
  });
  assert.equal(budget.status, 201, budget.text);
  const own = organization({ organization_id });
  const { id } = await place(own, people.busy, { max_duration_seconds: 600 });
  await ended(own, id);
  const placed = (await timeline(own, id)).find(({ kind }) => kind === 'placed');
  assert.equal(placed!.detail.max_duration_seconds, 120);
});

test('claiming a call does not read calls that wait', async () => {
  const own = organization();
  await schedule(own, 600);
  const plan = await db.transaction(async (tx) => {
    await tx.run(sql`set local enable_seqscan = off`);
    return tx.rows<{ 'QUERY PLAN': string }>(sql`
      explain select id from calls where status = 'queued' and hold is null order by id limit 1 for update skip locked`);
  });
  assert.match(plan.map((row) => row['QUERY PLAN']).join('\n'), /using calls_ready/);
});
