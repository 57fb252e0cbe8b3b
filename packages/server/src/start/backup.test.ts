// A table in a backup is exactly the table that was backed up. test/journeys/backup.test.ts uses the commands.
import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { startTestApp } from '../../testing/app.ts';
import { codedSpeech, ended, people, place } from '../../testing/calls.ts';
import { sql } from '../platform/db/sql.ts';
import { dumpableTables, dumpRows, loadRows } from '../platform/db/table-dump.ts';
import {
  createBackupFolder,
  objectKeys,
  readManifest,
  readTable,
  requireNewFile,
  verifyTables,
  writeTable,
} from './backup-folder.ts';
import { holdUnfinished } from './restored-work.ts';

const { db, client } = await startTestApp({}, { speech: () => codedSpeech() });
const parent = await mkdtemp(join(tmpdir(), 'parley-backup-'));
after(() => rm(parent, { recursive: true }));

test('values of every type are the same after a restore', async () => {
  const { draft } = await createBackupFolder(join(parent, 'kinds'));
  await db.run(sql`
    create table kinds (id int primary key, "Words" text, bytes bytea, exact json, loose jsonb, at timestamptz, list uuid[],
                        fraction float8, large bigint, flag boolean, number numeric)`);
  await db.run(sql`
    insert into kinds values
      (1, ${'line\nbreak, "quote", \\ and \u2028\u2029 😀'}, '\\x00ff', ${'{"b": 1,\n "a":  [1.0, 1e2]}'}, '{"b":1}',
       '2026-02-03 04:05:06.123456+00', array['018f0000-0000-7000-8000-000000000000']::uuid[], 0.1, 9007199254740993, true, 1.50),
      (2, null, null, null, null, 'infinity', '{}', 'NaN', -1, false, 0), (3, '', '', '""', 'null', null, null, null, null, null, null)`);
  const content = () =>
    db.rows(sql`
      select id, "Words", bytes, exact::text, loose::text, at::text, list, fraction::text, large::text, flag, number
        from kinds order by id`);
  const before = await content();
  const table = { schema: 'public', name: 'kinds' };
  await db.transaction(async (tx) => {
    const written = await writeTable(draft, table, dumpRows(tx, table));
    assert.equal(written.rows, 3);
    await tx.run(sql`delete from kinds`);
    assert.equal(await loadRows(tx, table, readTable(draft, table)), 3);
  });
  assert.deepEqual(await content(), before);
});

test('tables come after those that they refer to, and partitions only as their table', async () => {
  const names = (await dumpableTables(db)).map(({ schema, name }) => `${schema}.${name}`);
  assert.ok(names.indexOf('accounts.users') < names.indexOf('public.members'));
  assert.ok(names.includes('public.events'));
  assert.deepEqual(
    names.filter((name) => name.startsWith('partitions.') || name === 'public.migrations'),
    [],
  );
});

test('a damaged backup is refused', async () => {
  const { draft } = await createBackupFolder(join(parent, 'damaged'));
  const table = { schema: 'public', name: 'contacts' };
  async function* lines() {
    yield ['{}'];
  }
  const written = await writeTable(draft, table, lines());
  const manifest = {
    format: 1 as const,
    created_at: '',
    master_key_id: null,
    migrations: [],
    tables: [{ ...table, ...written }],
    objects: 0,
  };
  await verifyTables(draft, manifest);
  await writeFile(join(draft, 'tables', 'public.contacts.jsonl.gz'), 'other');
  await assert.rejects(verifyTables(draft, manifest), /was changed/);
  await rm(join(draft, 'tables', 'public.contacts.jsonl.gz'));
  await assert.rejects(verifyTables(draft, manifest), /incomplete/);
  await assert.rejects(readTable(draft, table).next(), { code: 'ENOENT' });
  assert.deepEqual(await objectKeys(draft), []);
  await assert.rejects(readManifest(draft), /is not a backup/);
  for (const text of ['{"format":1,', 'null', '{"format":1}']) {
    await writeFile(join(draft, 'backup.json'), text);
    await assert.rejects(readManifest(draft), /The backup is damaged: .*Use another backup/);
  }
});

test('a backup overwrites neither a key file nor a folder with content', async () => {
  const folder = join(parent, 'used');
  await mkdir(folder);
  const { finish } = await createBackupFolder(folder);
  const file = join(folder, 'key');
  await requireNewFile(file);
  await writeFile(file, 'kept');
  await assert.rejects(requireNewFile(file), /Name a new file/);
  await assert.rejects(finish(), { code: 'ENOTEMPTY' });
  assert.equal(await readFile(file, 'utf8'), 'kept');
  await assert.rejects(createBackupFolder(folder), /is not empty/);
});

test('a call that was queued at the time of the backup is not dialed again', async () => {
  // Until its time nothing works on it, so that the restore is the first to change it.
  const scheduled_at = new Date(Date.now() + 3_600_000).toISOString();
  const { id } = await place(client, people.busy, { scheduled_at });
  await db.transaction(async (tx) => {
    // As if its time had come right before the backup was made.
    await tx.run(sql`update calls set hold = null where id = ${id}`);
    assert.deepEqual(await holdUnfinished(tx, new Date(Date.now() - 600_000)), { texts: 0, calls: 1 });
  });
  const { status, end_reason, answered_at } = await ended(client, id);
  assert.deepEqual([status, end_reason, answered_at], ['failed', 'force_closed', null]);
});

test('an email that was due since the backup is not sent again; one that is not due yet still waits', async () => {
  const email = { recipient_consent: true, to: ['bob@example.org'], subject: 'Later' };
  const schedule = async (seconds: number) => {
    const scheduled_at = new Date(Date.now() + seconds * 1000).toISOString();
    const sent = await client.request<{ id: string }>('POST', '/v1/emails', { ...email, scheduled_at });
    assert.equal(sent.status, 201, sent.text);
    return sent.body.id;
  };
  const [due, waiting] = [await schedule(3600), await schedule(3600)];
  await db.transaction(async (tx) => {
    // As if its time had come after the backup.
    await tx.run(sql`
      update emails set hold = '{"kind":"schedule","until":"2020-01-01T00:00:00.000Z","approval_id":null,"message":"x"}'
       where id = ${due}`);
    await holdUnfinished(tx, new Date(Date.now() - 600_000));
  });
  const rows = await db.rows<{ id: string; is_waiting: boolean }>(
    sql`select id, send_deadline is null as is_waiting from emails where id in (${due}, ${waiting})`,
  );
  assert.deepEqual(
    [due, waiting].map((id) => rows.find((row) => row.id === id)!.is_waiting),
    [false, true],
  );
});
