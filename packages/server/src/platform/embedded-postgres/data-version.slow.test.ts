// Data of another major version of PostgreSQL: the start says what to do, changes nothing, and has an exit code of its own.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { findBinaries } from './binaries.ts';
import { EmbeddedPostgresError, startEmbeddedPostgres } from './index.ts';

/** A data folder whose database another version wrote. */
function folderOf(t: { after(done: () => void): void }, version: string): string {
  const data_dir = realpathSync(mkdtempSync(join(tmpdir(), 'parley-version-')));
  t.after(() => rmSync(data_dir, { recursive: true, force: true }));
  mkdirSync(join(data_dir, 'postgres'));
  writeFileSync(join(data_dir, 'postgres', 'PG_VERSION'), `${version}\n`);
  writeFileSync(join(data_dir, 'postgres-password'), 'secret\n');
  return data_dir;
}

const contentsOf = (folder: string) => readdirSync(folder, { recursive: true }).map(String).toSorted();
const start = (data_dir: string) => startEmbeddedPostgres({ data_dir, say: () => {} });

test('F6: data of an older PostgreSQL is not started, and the message has the commands', async (t) => {
  const data_dir = folderOf(t, '13');
  const before = contentsOf(data_dir);
  await assert.rejects(start(data_dir), (error: Error) => {
    assert.ok(error instanceof EmbeddedPostgresError);
    assert.match(error.message, /written by PostgreSQL 13, and this release of Parley brings PostgreSQL \d+/);
    for (const command of [
      `parley-server backup ${data_dir}/postgres-13-backup`,
      `mv ${data_dir}/postgres ${data_dir}/postgres-13`,
      `parley-server restore ${data_dir}/postgres-13-backup --resume`,
      'DATABASE_URL',
    ])
      assert.ok(error.message.includes(command), error.message);
    return true;
  });
  assert.deepEqual(contentsOf(data_dir), before);
});

test('F6: data of a newer PostgreSQL asks for the newer release', async (t) => {
  const { version } = await findBinaries();
  const newer = String(Number(version.split('.')[0]) + 1);
  await assert.rejects(
    start(folderOf(t, newer)),
    new RegExp(`PostgreSQL ${newer}.* newer release of Parley`),
  );
});

test('F6: the program ends with the exit code 78, which supervisors do not repeat', async (t) => {
  const data_dir = folderOf(t, '13');
  const main = fileURLToPath(new URL('../../main.ts', import.meta.url));
  const env = { PATH: process.env.PATH, PARLEY_DATA_DIR: data_dir, PORT: '0', HOST: '127.0.0.1' };
  const child = spawn(process.execPath, [main], { env, stdio: ['ignore', 'ignore', 'pipe'] });
  const [said, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')]);
  assert.equal(code, 78, said);
  assert.match(said, /parley-server restore/);
  const unit = new URL('../../../../../deploy/systemd/parley@.service', import.meta.url);
  assert.match(readFileSync(unit, 'utf8'), /^RestartPreventExitStatus=78$/m);
});
