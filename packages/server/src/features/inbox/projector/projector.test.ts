// Every change of a record reaches every projection once, also when a process crashes or a record cannot be projected.
import assert from 'node:assert/strict';
import { after, beforeEach, describe, test } from 'node:test';
import { openTestDatabase } from '../../../../testing/database.ts';
import { waitFor } from '../../../../testing/wait-for.ts';
import { systemClock } from '../../../platform/clock.ts';
import type { Transaction } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/sql.ts';
import { uuidv7Ids } from '../../../platform/ids.ts';
import { makeLog } from '../../../platform/log.ts';
import { makeSolo } from '../../../platform/solo.ts';
import { fillJob } from './fill-job.ts';
import { fillProgress, requestFills } from './fill-store.ts';
import { type Projection, type ProjectionBatch, projected_nouns } from './projection.ts';
import { projector } from './projector.ts';
import { queueProjections } from './queue-store.ts';

const { db, close } = await openTestDatabase();
after(close);
const ids = uuidv7Ids(systemClock());
const organization_id = ids.next();
const log = makeLog({ level: 'silent', show_personal_data: false });

beforeEach(async () => {
  for (const table of ['contacts', 'sms_messages', 'emails', 'calls', 'call_turns'])
    await db.run(sql`delete from ${sql.raw(table)}`);
  await db.run(sql`delete from projection_queue`);
});

/** Simulates another process on the shared database; its clock can be moved. */
function worker(project: Projection['project'], nouns = projected_nouns) {
  const clock = systemClock();
  const counts = { projected: 0, given_up: 0 };
  const running = projector({
    db,
    clock,
    ids,
    log,
    solo: makeSolo(),
    emailText: async ({ body_text }) => body_text ?? '',
    projections: [{ name: 'test', nouns, project }],
    countProjected: (rows) => {
      counts.projected += rows;
    },
    countGivenUp: () => {
      counts.given_up++;
    },
  });
  after(() => running.stop());
  return { ...running, counts, later: (ms: number) => clock.moveTo(clock.offset_ms() + ms) };
}

/** A projection that keeps what it got. */
function recorder() {
  const batches: ProjectionBatch[] = [];
  return {
    records: () => batches.flatMap(({ records }) => records),
    deleted: () => batches.flatMap(({ deleted }) => deleted),
    project: async (_tx: Transaction, batch: ProjectionBatch) => void batches.push(batch),
  };
}

async function insertContact(name: string): Promise<string> {
  const id = ids.next();
  await db.run(sql`
    insert into contacts (id, organization_id, kind, name, email, created_at, updated_at, search_text)
    values (${id}, ${organization_id}, 'contact', ${name}, ${`${id}@example.com`}, now(), now(), '')`);
  return id;
}

async function insertSms(body: string): Promise<string> {
  const id = ids.next();
  await db.run(sql`
    insert into sms_messages (id, organization_id, conversation_id, direction, "from", "to", body, status, segments, encoding,
                              provider, requested_at, metadata, origin, is_shared_sender, attempts, claims)
    values (${id}, ${organization_id}, ${id}, 'outbound', '+15005550100', '+15005550101', ${body}, 'queued', 1, 'gsm7',
            'sandbox', now(), '{"order":"7"}', 'api', false, 0, 0)`);
  return id;
}

async function insertEmail(body_text: string): Promise<string> {
  const id = ids.next();
  await db.run(sql`
    insert into emails (id, organization_id, conversation_id, direction, from_address, to_addresses, cc_addresses,
                        bcc_addresses, subject, status, requested_at, metadata, body_text, references_ids, thread_key)
    values (${id}, ${organization_id}, ${id}, 'outbound', 'desk@example.com', '{ana@example.com}', '{}', '{}',
            'Order', 'sent', now(), '{}', ${body_text}, '{}', 'order')`);
  return id;
}

async function insertCall(): Promise<string> {
  const id = ids.next();
  await db.run(sql`
    insert into calls (id, organization_id, conversation_id, direction, status, "to", requested_at, metadata,
                       ring_timeout_seconds, is_recorded, plan)
    values (${id}, ${organization_id}, ${id}, 'outbound', 'queued', '+15005550101', now(), '{}', 30, false, '{}')`);
  return id;
}

const queued = async () =>
  (await db.maybe<{ count: number }>(sql`select count(*) as count from projection_queue`))!.count;

describe('the projector', () => {
  test('gives each new record to the projections once, with its text', async () => {
    const seen = recorder();
    const one = worker(seen.project);
    const expected = [
      { noun: 'email', id: await insertEmail('Where is it?'), text: 'Where is it?' },
      { noun: 'sms', id: await insertSms('On its way'), text: 'On its way' },
      { noun: 'call', id: await insertCall(), text: '' },
      { noun: 'contact', id: await insertContact('Ana'), text: undefined },
    ];
    await one.drain();
    await one.drain();
    const found = seen.records().map((record) => ({
      noun: record.noun,
      id: record.id,
      text: 'text' in record ? record.text : undefined,
    }));
    assert.deepEqual(found, expected);
    assert.equal(await queued(), 0);
    assert.equal(one.counts.projected, 4);
  });

  test('gives changes that projections show, and no others', async () => {
    const [call, sms, contact] = [await insertCall(), await insertSms('Hello'), await insertContact('Ana')];
    await worker(recorder().project).drain();
    const seen = recorder();
    const one = worker(seen.project);

    await db.run(sql`update calls set status = 'ringing', ringing_at = now() where id = ${call}`);
    await db.run(sql`update sms_messages set status = 'sent', body = body where id = ${sms}`);
    await db.run(sql`update contacts set updated_at = now(), name = name where id = ${contact}`);
    assert.equal(await queued(), 0);

    await db.run(sql`
      insert into call_turns (id, organization_id, call_id, speaker, text, started_ms, ended_ms, is_interrupted)
      values (${ids.next()}, ${organization_id}, ${call}, 'agent', 'Good morning', 0, 900, false),
             (${ids.next()}, ${organization_id}, ${call}, 'person', 'Who is it?', 1000, 1500, false)`);
    await db.run(sql`update calls set status = 'completed', ended_at = now() where id = ${call}`);
    await db.run(sql`update sms_messages set body = 'Good bye' where id = ${sms}`);
    await db.run(sql`delete from contacts where id = ${contact}`);
    await one.drain();
    assert.deepEqual(
      seen.records().map((record) => 'text' in record && record.text),
      ['Good morning\nWho is it?', 'Good bye'],
    );
    assert.deepEqual(seen.deleted(), [{ organization_id, noun: 'contact', id: contact }]);
  });

  test('gives a record once that was queued several times, and only to projections that want it', async () => {
    const seen = recorder();
    const one = worker(seen.project, ['sms']);
    const id = await insertSms('Hello');
    await insertContact('Ana');
    await queueProjections(db, [
      { organization_id, noun: 'sms', id },
      { organization_id, noun: 'sms', id },
    ]);
    await one.drain();
    assert.deepEqual(
      seen.records().map((record) => record.id),
      [id],
    );
    assert.equal(await queued(), 0);
  });

  test('shares the queue with other processes', async () => {
    const [first, second] = [recorder(), recorder()];
    for (let count = 0; count < 20; count++) await insertSms(`Text ${count}`);
    await Promise.all([worker(first.project).drain(), worker(second.project).drain()]);
    const all = [...first.records(), ...second.records()];
    assert.equal(all.length, 20);
    assert.equal(new Set(all.map(({ id }) => id)).size, 20);
  });

  test('writes nothing twice when it loses the database in the middle of a batch', async () => {
    const id = await insertContact('Ana');
    let pid = 0;
    const crashing = worker(async (tx) => {
      pid = (await tx.maybe<{ pid: number }>(sql`select pg_backend_pid() as pid`))!.pid;
      await tx.run(sql`update contacts set role = coalesce(role, '') || 'x' where id = ${id}`);
      await tx.rows(sql`select pg_terminate_backend(pg_backend_pid())`);
    });
    await assert.rejects(crashing.drain());
    // A backend reports its end before it rolls back, and until then other processes skip the rows that it has locked.
    await waitFor(
      'the backend has ended',
      async () => (await db.maybe(sql`select from pg_stat_activity where pid = ${pid}`)) === null,
    );
    assert.equal(await queued(), 1);
    const other = worker(async (tx) => {
      await tx.run(sql`update contacts set role = coalesce(role, '') || 'x' where id = ${id}`);
    });
    await other.drain();
    assert.deepEqual(await db.maybe(sql`select role from contacts where id = ${id}`), { role: 'x' });
    assert.equal(await queued(), 0);
  });

  test('projects the other records when one of them fails, and gives that one up after ten attempts', async () => {
    const bad = await insertSms('Bad');
    const good = [await insertSms('Good'), await insertSms('Good too')];
    const done: string[] = [];
    const one = worker(async (tx, { records }) => {
      if (records.some(({ id }) => id === bad)) await tx.run(sql`select 1 / 0`);
      tx.afterCommit(() => done.push(...records.map(({ id }) => id)));
    });
    await one.drain();
    assert.deepEqual(done, good);
    assert.equal(await queued(), 1);

    // It is not tried again before its time.
    await one.drain();
    assert.deepEqual(await db.maybe(sql`select attempts from projection_queue`), { attempts: 1 });
    for (let attempt = 2; attempt <= 9; attempt++) {
      one.later(301_000);
      await one.drain();
    }
    assert.deepEqual(await db.maybe(sql`select attempts from projection_queue`), { attempts: 9 });
    assert.equal(one.counts.given_up, 0);
    one.later(301_000);
    await one.drain();
    assert.equal(await queued(), 0);
    assert.equal(one.counts.given_up, 1);
  });
});

describe('a fill', () => {
  const runFill = () =>
    fillJob({ db, wake() {} }).run(
      { id: '', kind: '', payload: {}, attempts: 0, claims: 1 },
      new AbortController().signal,
    );

  test('gives every record of an organization again, newest first, and can be repeated', async () => {
    const own = [await insertSms('One'), await insertSms('Two'), await insertContact('Ana')];
    const other = ids.next();
    await db.run(sql`update contacts set organization_id = ${other} where id = ${own[2]!}`);
    await db.run(sql`delete from projection_queue`);
    for (let round = 0; round < 2; round++) {
      await requestFills(db, organization_id);
      await runFill();
      const seen = recorder();
      await worker(seen.project).drain();
      assert.deepEqual(
        seen
          .records()
          .filter((record) => record.organization_id === organization_id)
          .map(({ id }) => id),
        [own[1], own[0]],
      );
      const progress = await fillProgress(db, organization_id);
      assert.deepEqual(
        progress.map(({ noun, queued, is_done }) => [noun, queued, is_done]),
        [
          ['call', 0, true],
          ['contact', 0, true],
          ['conversation', 0, true],
          ['email', 0, true],
          ['sms', 2, true],
        ],
      );
    }
  });

  test('of a new installation ends at once, and a request does not restart one that runs', async () => {
    await runFill();
    assert.ok((await fillProgress(db, null)).every(({ is_done }) => is_done));
    await db.run(
      sql`update projection_fills set done_at = null, below = ${ids.next()}, queued = 7 where scope = 'all:sms'`,
    );
    await requestFills(db, null);
    const sms = (await fillProgress(db, null)).find(({ noun }) => noun === 'sms');
    assert.deepEqual([sms!.queued, sms!.is_done], [7, false]);
  });
});
