// PostgreSQL 15 servers from Debian's package: one alone, or a primary with a standby.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from './free-port.ts';
import { waitFor } from './wait-for.ts';

const programs = '/usr/lib/postgresql/15/bin';

export const debian_postgres_missing =
  !existsSync(join(programs, 'postgres')) &&
  `PostgreSQL 15 is not installed in ${programs}; on Debian 12 install it with: apt-get install postgresql-15`;

export type DebianPostgres = {
  /** Where its socket is. */
  folder: string;
  /** 0 when it listens only on the socket. */
  port: number;
  /** Ends it at once, as a crash does. */
  kill(): Promise<void>;
};

type TestContext = { after(done: () => Promise<void>): void };

/** PostgreSQL refuses to run as root. */
function account(): { uid?: number; gid?: number } {
  if (process.getuid?.() !== 0) return {};
  const numberOf = (flag: string) => Number(execFileSync('id', [flag, 'nobody'], { encoding: 'utf8' }));
  return { uid: numberOf('-u'), gid: numberOf('-g') };
}

/** `standby_of`: a copy of that server which follows it. */
export async function startDebianPostgres(
  t: TestContext,
  options: { tcp?: boolean; standby_of?: DebianPostgres } = {},
): Promise<DebianPostgres> {
  const folder = mkdtempSync(join(tmpdir(), 'parley-postgres-15-'));
  const data = join(folder, 'data');
  const user = account();
  if (user.uid !== undefined) chownSync(folder, user.uid, user.gid!);
  const environment = { ...user, cwd: folder, env: { PATH: process.env.PATH, LC_ALL: 'C' } };
  const run = (program: string, ...args: string[]) =>
    execFileSync(join(programs, program), args, { ...environment, stdio: 'pipe' });
  if (options.standby_of) {
    const { port } = options.standby_of;
    run(
      'pg_basebackup',
      '-D',
      data,
      '-d',
      `host=127.0.0.1 port=${port} user=parley`,
      '-R',
      '-c',
      'fast',
      '--no-sync',
    );
  } else {
    run('initdb', '-D', data, '-U', 'parley', '-A', 'trust', '-E', 'UTF8', '--no-sync');
  }
  const port = options.tcp || options.standby_of ? await freePort() : 0;
  const listen = port === 0 ? ['listen_addresses='] : ['listen_addresses=127.0.0.1', `port=${port}`];
  const settings = [...listen, 'fsync=off'].flatMap((setting) => ['-c', setting]);
  const server = spawn(join(programs, 'postgres'), ['-D', data, '-k', folder, ...settings], {
    ...environment,
    stdio: 'ignore',
  });
  const kill = async () => {
    const gone = once(server, 'exit');
    if (server.exitCode === null && server.signalCode === null && server.kill('SIGQUIT')) await gone;
  };
  t.after(async () => {
    await kill();
    rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
  });
  const note = join(data, 'postmaster.pid');
  await waitFor('PostgreSQL 15', () => {
    if (server.exitCode !== null) throw new Error('PostgreSQL 15 ended instead of starting');
    return existsSync(note) && /^ready/m.test(readFileSync(note, 'utf8'));
  });
  return { folder, port, kill };
}
