// move() applies the declared transitions in SQL and writes the event in the same commit.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, test } from 'node:test';
import { callLifecycle } from '@parley/contract/channels/calls/call-records';
import { nextState } from '@parley/contract/schema/lifecycle';
import { openTestDatabase } from '../../testing/database.ts';
import { systemClock } from './clock.ts';
import type { Row } from './db/database.ts';
import { sql } from './db/sql.ts';
import { uuidv7Ids } from './ids.ts';
import { mover } from './lifecycle.ts';
import { type FanOut, outbox } from './outbox.ts';

const { db, close } = await openTestDatabase();
after(close);
await db.run(sql`create table scratch_calls (id uuid, organization_id uuid, status text, ended_at text)`);
await db.run(sql`create table scratch_deliveries (event_id uuid, receiver text)`);

const published: string[] = [];
const fan_out: FanOut = {
  parts: () => ({
    steps: {},
    statement: sql`insert into scratch_deliveries select id, 'r' || n from made, generate_series(1, 2) n returning event_id, receiver`,
    columns: [sql`event_id`, sql`receiver`],
  }),
  committed(rows: Row[]) {
    published.push(...rows.map((row) => `${row.receiver}`));
    return false;
  },
};
const clock = systemClock();
const events = outbox({ clock, ids: uuidv7Ids(clock), fan_out });
const move = mover({ outbox: events });

type Trigger = keyof typeof callLifecycle.moves;
const organization_id = randomUUID();

async function callIn(status: string) {
  const id = randomUUID();
  await db.run(sql`insert into scratch_calls values (${id}, ${organization_id}, ${status}, null)`);
  return id;
}
const attempt = (id: string, trigger: Trigger, of = organization_id) =>
  db.transaction((tx) =>
    move(tx, {
      lifecycle: callLifecycle,
      table: 'scratch_calls',
      organization_id: of,
      id,
      trigger,
      set: { ended_at: 'now' },
      returning: sql`id, status, ended_at`,
      event: (call) => ({ data: { id: call.id, status: call.status } }),
    }),
  );
const eventsOf = (id: string) =>
  db.rows<{ type: string; payload: string }>(sql`select type, payload from events where resource_id = ${id}`);

test('every state × trigger pair moves or does nothing, and emits exactly what is declared', async () => {
  for (const state of callLifecycle.states) {
    for (const trigger of Object.keys(callLifecycle.moves) as Trigger[]) {
      const id = await callIn(state);
      const expected = nextState(callLifecycle, state, trigger);
      const record = await attempt(id, trigger);
      assert.deepEqual(
        record,
        expected && { id, status: expected, ended_at: 'now' },
        `${state} × ${trigger}`,
      );
      const row = await db.maybe(sql`select status from scratch_calls where id = ${id}`);
      assert.deepEqual(row, { status: expected ?? state });
      const { emits } = callLifecycle.moves[trigger] as { emits?: string };
      assert.deepEqual(
        (await eventsOf(id)).map((event) => event.type),
        expected && emits ? [emits] : [],
        `${state} × ${trigger}`,
      );
    }
  }
});

test('an event has the envelope, its deliveries are in the same commit, and it is published after it', async () => {
  published.length = 0;
  const id = await callIn('ringing');
  await attempt(id, 'answered');
  const [event] = await eventsOf(id);
  const envelope = JSON.parse(event!.payload);
  assert.deepEqual(Object.keys(envelope), [
    'id',
    'type',
    'api_version',
    'created_at',
    'organization_id',
    'data',
  ]);
  assert.deepEqual(
    [envelope.type, envelope.api_version, envelope.organization_id],
    ['call.answered', '2026-06-06', organization_id],
  );
  assert.deepEqual(envelope.data, { id, status: 'in_progress' });
  assert.deepEqual(published.sort(), ['r1', 'r2']);
  const deliveries = await db.rows(
    sql`select receiver from scratch_deliveries where event_id = ${envelope.id}`,
  );
  assert.equal(deliveries.length, 2);
});

test('a move that is rolled back leaves no event and no delivery, and publishes nothing', async () => {
  published.length = 0;
  const id = await callIn('ringing');
  const failing = db.transaction(async (tx) => {
    await events.write(tx, [{ organization_id, type: 'call.answered', resource_id: id, data: {} }]);
    throw new Error('undo');
  });
  await assert.rejects(failing);
  assert.deepEqual(await eventsOf(id), []);
  assert.deepEqual(published, []);
});

test('of two racing moves exactly one is applied', async () => {
  for (let round = 0; round < 10; round++) {
    const id = await callIn('ringing');
    const results = await Promise.all([
      attempt(id, 'declined'),
      attempt(id, 'answered'),
      attempt(id, 'rang_out'),
    ]);
    assert.equal(results.filter((result) => result !== null).length, 1);
    assert.equal((await eventsOf(id)).length, 1);
  }
});

test('another organization cannot move it', async () => {
  const id = await callIn('ringing');
  assert.equal(await attempt(id, 'answered', randomUUID()), null);
});
