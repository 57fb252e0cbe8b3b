// A record that ends its process is set aside after the second time, and the others of its batch reach the projections.
import assert from 'node:assert/strict';
import { after, beforeEach, describe, test } from 'node:test';
import { openTestDatabase } from '../../../../testing/database.ts';
import { startProcess } from '../../../../testing/dying-process.ts';
import { systemClock } from '../../../platform/clock.ts';
import { sql } from '../../../platform/db/sql.ts';
import { uuidv7Ids } from '../../../platform/ids.ts';

const { db, url, close } = await openTestDatabase();
after(close);
const ids = uuidv7Ids(systemClock());

beforeEach(async () => {
  for (const table of ['contacts', 'projection_queue', 'projection_starts', 'set_aside_work'])
    await db.run(sql`delete from ${sql.raw(table)}`);
});

/** In an organization of its own. */
async function insertContact(name: string): Promise<{ id: string; organization_id: string }> {
  const contact = { id: ids.next(), organization_id: ids.next() };
  await db.run(sql`
    insert into contacts (id, organization_id, kind, name, email, created_at, updated_at, search_text)
    values (${contact.id}, ${contact.organization_id}, 'contact', ${name}, ${`${contact.id}@example.com`}, now(), now(), '')`);
  return contact;
}

/** A process with the real projector; `project` is the body of its only projection. It prints each record that it commits. */
const projectorProcess = (project: string) =>
  startProcess(
    `
    import { systemClock } from './src/platform/clock.ts';
    import { openDatabase } from './src/platform/db/database.ts';
    import { uuidv7Ids } from './src/platform/ids.ts';
    import { makeLog } from './src/platform/log.ts';
    import { makeSolo } from './src/platform/solo.ts';
    import { projector } from './src/features/inbox/projector/projector.ts';
    const hang = () => new Promise(() => setInterval(() => {}, 1000));
    const say = (text) => process.stdout.write(text + '\\n');
    const db = openDatabase({ url: process.argv[1], max_connections: 4 });
    const clock = systemClock();
    const log = makeLog({ level: 'silent', show_personal_data: false });
    const projection = {
      name: 'test',
      nouns: ['contact'],
      async project(tx, { records }) {
        ${project}
        tx.afterCommit(() => records.forEach(({ name }) => say('wrote ' + name)));
      },
    };
    const running = projector({
      db, clock, log, ids: uuidv7Ids(clock), solo: makeSolo(), projections: [projection],
      emailText: () => '', countProjected() {}, countGivenUp() {},
    });
    process.on('SIGTERM', async () => {
      await running.stop(AbortSignal.abort());
      process.exit(0);
    });
    await running.drain();
    say('idle');
    await running.stop();
    await db.close();
    `,
    url,
  );

const setAside = () =>
  db.rows<{ object_id: string; organization_id: string; reason: string; lost_runs: number }>(sql`
    select object_id::text, organization_id::text, reason, lost_runs from set_aside_work order by object_id`);
const count = async (table: string) =>
  (await db.maybe<{ count: number }>(sql`select count(*) as count from ${sql.raw(table)}`))!.count;
const left = async () => [await count('projection_queue'), await count('projection_starts')];

describe('a record that ends the process', () => {
  test('F2: is set aside after two ends, and the records of others in its batch are written once', async () => {
    const names = ['Ana', 'Ben', 'deadly', 'Cleo', 'also deadly', 'Dora'];
    const contacts = new Map<string, { id: string; organization_id: string }>();
    for (const name of names) contacts.set(name, await insertContact(name));
    const lines: string[] = [];
    const codes: (number | null)[] = [];
    for (let start = 0; start < 5; start++) {
      const process = projectorProcess(
        `if (records.some(({ name }) => name.includes('deadly'))) process.exit(7);`,
      );
      codes.push((await process.exited).code);
      lines.push(...process.lines.filter((line) => line.startsWith('wrote')));
    }
    assert.deepEqual(codes, [7, 7, 7, 0, 0]);
    assert.deepEqual(lines.toSorted(), ['wrote Ana', 'wrote Ben', 'wrote Cleo', 'wrote Dora']);
    assert.deepEqual(
      await setAside(),
      ['deadly', 'also deadly'].map((name) => ({
        object_id: contacts.get(name)!.id,
        organization_id: contacts.get(name)!.organization_id,
        reason: 'process_ended',
        lost_runs: 2,
      })),
    );
    assert.deepEqual(await left(), [0, 0]);
  });

  test('F2: is not projected again when it changes, and ends no other process', async () => {
    const { id } = await insertContact('deadly');
    const process_exit = `if (records.length > 0) process.kill(process.pid, 'SIGKILL'); await hang();`;
    for (let start = 0; start < 2; start++) await projectorProcess(process_exit).exited;
    assert.equal((await projectorProcess(process_exit).exited).code, 0);
    assert.equal((await setAside()).length, 1);
    await db.run(sql`update contacts set name = 'still deadly', updated_at = now() where id = ${id}`);
    assert.ok((await count('projection_queue')) > 0);
    assert.equal((await projectorProcess(process_exit).exited).code, 0);
    assert.deepEqual(await left(), [0, 0]);
  });

  test('F2: counts neither a clean stop nor an error as an end', async () => {
    await insertContact('Ana');
    for (let start = 0; start < 3; start++) {
      const process = projectorProcess(`say('run'); await hang();`);
      await process.prints('run');
      process.kill('SIGTERM');
      assert.equal((await process.exited).code, 0);
      assert.equal(await count('projection_starts'), 0);
    }
    assert.equal((await projectorProcess(`throw new Error('no');`).exited).code, 0);
    assert.deepEqual(await setAside(), []);
    assert.deepEqual(await left(), [1, 0]);
  });
});
