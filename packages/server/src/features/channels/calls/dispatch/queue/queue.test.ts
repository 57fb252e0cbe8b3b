// The queue: which calls wait for a number or for the engines, in which order, and for how long.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { own_phone_number } from '@parley/contract/operations/sandbox/sandbox-phone';
import { type Client, startTestApp } from '../../../../../../testing/app.ts';
import {
  codedSpeech,
  ended,
  eventually,
  people,
  place,
  read,
  timeline,
  until,
} from '../../../../../../testing/calls.ts';
import { codedStt } from '../../../../../../testing/coded-speech.ts';
import { sql } from '../../../../../platform/db/sql.ts';

const ringing = { ring_timeout_seconds: 120 };
const stopCalls = async (operator: Client, calls: boolean) =>
  assert.equal((await operator.request('PATCH', '/v1/admin/kill-switch', { calls })).status, 200);

describe('with three numbers in the pool', async () => {
  const { client, operator, db, organization, later } = await startTestApp(
    { PARLEY_CALL_QUEUE_SECONDS: '300' },
    { speech: () => codedSpeech() },
  );
  const cancel = (id: string) => client.request('POST', `/v1/calls/${id}/cancel`);

  test('more calls wait, oldest first over all organizations; calls with their own number do not wait', async () => {
    const [first, second, own] = [organization(), organization(), organization()];
    const held = await Promise.all([1, 2, 3].map(() => place(client, people.never_answers, ringing)));
    for (const { id } of held) await until(client, id, 'ringing');
    assert.equal(
      new Set(await Promise.all(held.map(async ({ id }) => (await read(client, id)).from))).size,
      3,
    );
    const older = await place(first, people.never_answers, ringing);
    const younger = await place(second, people.never_answers, ringing);

    await own.request('POST', '/v1/numbers', { country_code: 'US' });
    assert.equal((await ended(own, (await place(own, people.busy)).id)).status, 'busy');
    assert.equal((await read(first, older.id)).status, 'queued');

    await cancel(held[0]!.id);
    await until(first, older.id, 'ringing');
    assert.equal((await read(second, younger.id)).status, 'queued');
    await cancel(held[1]!.id);
    await until(second, younger.id, 'ringing');

    await cancel(held[2]!.id);
    await first.request('POST', `/v1/calls/${older.id}/cancel`);
    await second.request('POST', `/v1/calls/${younger.id}/cancel`);
  });

  test('a call that waits too long fails with no_number_available', async () => {
    const held = await Promise.all([1, 2, 3].map(() => place(client, own_phone_number, ringing)));
    for (const { id } of held) {
      await until(client, id, 'ringing');
      await client.request('POST', `/v1/sandbox/phone/calls/${id}/answer`);
      await until(client, id, 'in_progress');
    }
    const { id } = await place(client, people.busy);
    await later(290);
    assert.equal((await read(client, id)).status, 'queued');
    await later(20);
    const call = await read(client, id);
    assert.deepEqual([call.status, call.end_reason], ['failed', 'no_number_available']);
    assert.equal((await timeline(client, id)).at(-1)!.kind, 'broke');
    // The clock moved by minutes, which does not affect answered calls.
    for (const each of held) assert.equal((await read(client, each.id)).status, 'in_progress');
    for (const each of held) {
      await client.request('POST', `/v1/sandbox/phone/calls/${each.id}/hang-up`);
      await ended(client, each.id);
    }
  });

  test('a queued call can be canceled', async () => {
    const held = await Promise.all([1, 2, 3].map(() => place(client, people.never_answers, ringing)));
    for (const { id } of held) await until(client, id, 'ringing');
    const { id } = await place(client, people.busy);
    await cancel(id);
    for (const each of held) await cancel(each.id);
    const after = await place(client, people.busy);
    await ended(client, after.id);
    assert.deepEqual(
      (await timeline(client, id)).map(({ kind }) => kind),
      ['requested', 'canceled'],
    );
  });

  test('a call whose claim began before the kill switch was turned on stays in the queue', async () => {
    let id = '';
    // The claim waits for this transaction, and the operator is faster.
    await db.transaction(async (tx) => {
      await tx.run(sql`lock table pool_numbers in share row exclusive mode`);
      ({ id } = await place(client, people.busy));
      await eventually('the claim waits', async () => {
        const [row] = await db.rows<{ count: number }>(sql`
          select count(*)::int as count from pg_locks where not granted and relation = 'pool_numbers'::regclass`);
        return row!.count > 0;
      });
      await stopCalls(operator, true);
    });
    const kinds = async () => (await timeline(client, id)).map(({ kind }) => kind);
    await eventually('it is back', async () => (await kinds()).at(-1) === 'requeued');
    const call = await read(client, id);
    assert.deepEqual([call.status, call.from, call.provider, call.started_at], ['queued', null, null, null]);
    const bound = await db.rows(sql`select id from pool_numbers where bound_call_id is not null`);
    assert.deepEqual(bound, [], 'its number is free');
    await stopCalls(operator, false);
    assert.equal((await ended(client, id)).status, 'busy');
    assert.deepEqual((await kinds()).slice(0, 5), ['requested', 'dialed', 'requeued', 'released', 'dialed']);
  });
});

describe('while recognition is behind', async () => {
  let is_behind = true;
  let was_loaded = false;
  const stt = {
    ...codedStt(),
    isBehind: () => is_behind,
    ready: async () => {
      was_loaded = true;
    },
  };
  const { client, app } = await startTestApp({}, { speech: () => codedSpeech({ stt }) });

  test('new calls stay queued until it has caught up, and no engine is loaded before', async () => {
    const { id } = await place(client, people.busy);
    await app.jobs.drain();
    assert.equal((await read(client, id)).status, 'queued');
    assert.equal(was_loaded, false);
    is_behind = false;
    assert.equal((await ended(client, id)).status, 'busy');
    assert.equal(was_loaded, true);
  });
});

describe('while the engines load', async () => {
  let loaded = Promise.withResolvers<void>();
  const stt = { ...codedStt(), ready: () => loaded.promise };
  const { client, operator, app, organization } = await startTestApp(
    {},
    { speech: () => codedSpeech({ stt }) },
  );
  // The entry "preparing" is ignored: it depends on how long loading takes.
  const kinds = async (id: string) =>
    (await timeline(client, id)).map(({ kind }) => kind).filter((kind) => kind !== 'preparing');
  const waiting = async () => {
    loaded = Promise.withResolvers();
    const { id } = await place(client, people.busy);
    await until(client, id, 'dialing');
    await app.jobs.drain();
    assert.deepEqual(await kinds(id), ['requested', 'dialed']);
    return id;
  };

  test('the call is not placed yet', async () => {
    const id = await waiting();
    loaded.resolve();
    assert.equal((await ended(client, id)).status, 'busy');
  });

  test('a call that the kill switch stops meanwhile goes back to the queue and keeps its own number', async () => {
    const own = organization();
    const number = await own.request<{ e164: string }>('POST', '/v1/numbers', { country_code: 'US' });
    loaded = Promise.withResolvers();
    const { id } = await place(own, people.busy);
    await until(own, id, 'dialing');
    await stopCalls(operator, true);
    loaded.resolve();
    const held = await until(own, id, 'queued');
    assert.deepEqual([held.from, held.started_at], [number.body.e164, null]);
    const entry = (await timeline(own, id)).at(-1)!;
    assert.deepEqual([entry.kind, entry.detail.check], ['requeued', 'kill_switch']);
    await stopCalls(operator, false);
    assert.equal((await ended(own, id)).status, 'busy');
  });

  test('a canceled call is never placed', async () => {
    const id = await waiting();
    await client.request('POST', `/v1/calls/${id}/cancel`);
    loaded.resolve();
    const next = await place(client, people.busy);
    assert.equal((await ended(client, next.id)).status, 'busy');
    assert.deepEqual(await kinds(id), ['requested', 'dialed', 'canceled']);
  });

  test('a call whose engines cannot be loaded fails and is never placed', async () => {
    const id = await waiting();
    loaded.reject(new Error('The weights are missing.'));
    const call = await ended(client, id);
    assert.deepEqual([call.status, call.end_reason], ['failed', 'setup_error']);
    assert.deepEqual(await kinds(id), ['requested', 'dialed', 'broke']);
  });
});
