// A PostgreSQL server that is stopped, not dead: it accepts connections and answers nothing until it continues.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { sql as accountSql } from 'kysely';
import { startTestApp } from '../../testing/app.ts';
import { copyCluster } from '../../testing/prepared-cluster.ts';
import { password, signUp, visitor } from '../../testing/visitor.ts';
import { waitFor } from '../../testing/wait-for.ts';
import { accountTables } from '../features/access/accounts/engine-options.ts';
import { DatabaseUnavailable, openDatabase, type Queryable } from '../platform/db/database.ts';
import { sql } from '../platform/db/sql.ts';
import { startEmbeddedPostgres } from '../platform/embedded-postgres/index.ts';

const deadline_ms = 1000;
const cluster = process.env.PARLEY_TEST_CLUSTER;
const skip =
  process.platform === 'win32' ? 'there is no SIGSTOP' : !cluster && 'there is no prepared cluster';

/** The server process and its children, of which each serves one connection. */
function processesOf(postmaster: number): number[] {
  const children = execFileSync('ps', ['-o', 'pid=', '--ppid', String(postmaster)], { encoding: 'utf8' });
  return [postmaster, ...children.trim().split(/\s+/).map(Number)];
}

const statementOf = (on: Queryable) => on.rows(sql`select ${1}::int as one`);

describe('a database server that is stopped', { skip }, async () => {
  if (!cluster || skip) return;
  const data_dir = mkdtempSync(join(tmpdir(), 'parley-stopped-'));
  copyCluster(cluster, data_dir);
  const postgres = await startEmbeddedPostgres({ data_dir, say: () => {}, settings: { fsync: 'off' } });
  const db = openDatabase({
    url: postgres.url,
    max_connections: 4,
    query_timeout_ms: deadline_ms,
    connect_timeout_ms: deadline_ms,
  });
  const app = await startTestApp(
    { PARLEY_MANAGED: 'on', PARLEY_SIGN_UP: 'open', PARLEY_TRUSTED_PROXIES: '127.0.0.1' },
    { db },
  );
  let stopped: number[] = [];
  after(async () => {
    continueServer();
    await postgres.stop();
    rmSync(data_dir, { recursive: true, force: true });
  });

  /** The postmaster first, so that it starts no process meanwhile. */
  function stopServer(): void {
    const postmaster = Number(
      readFileSync(join(data_dir, 'postgres', 'postmaster.pid'), 'utf8').split('\n')[0],
    );
    process.kill(postmaster, 'SIGSTOP');
    stopped = processesOf(postmaster);
    for (const pid of stopped.slice(1)) process.kill(pid, 'SIGSTOP');
  }
  function continueServer(): void {
    for (const pid of stopped.reverse()) process.kill(pid, 'SIGCONT');
    stopped = [];
  }

  const contact = (name: string) =>
    app.client.request('POST', '/v1/contacts', { name, email: `${name.toLowerCase()}@example.com` });
  const connections = () =>
    db.maybe<{ count: number }>(
      sql`select count(*)::int as count from pg_stat_activity where application_name = 'parley'`,
    );

  test('F13: requests end with 503 and Retry-After, and work again when it continues', async () => {
    assert.equal((await contact('Ana')).status, 201);
    await Promise.all(Array.from({ length: 4 }, () => statementOf(db)));
    const given_up = db.transaction(async (tx) => {
      await tx.run(sql`select 1`);
      stopServer();
      return tx.run(sql`select 1`);
    });
    await assert.rejects(given_up, DatabaseUnavailable);
    const requests = Array.from({ length: 20 }, (_, number) =>
      number % 2 ? contact(`Person${number}`) : app.client.request('GET', '/v1/contacts'),
    );
    for (const { status, body, headers } of await Promise.all(requests)) {
      assert.deepEqual([status, body.code], [503, 'database_unavailable']);
      assert.ok(headers.get('retry-after'));
    }
    assert.equal((await app.client.request('GET', '/readyz')).status, 503);
    continueServer();
    await waitFor('requests work again', async () => (await contact('Ben')).status === 201);
    await waitFor(
      'the server ends the connections that were given up',
      async () => (await connections())!.count <= db.pool.totalCount,
    );
  });

  test('F13: the account tables give the server up too, with one deadline for a transaction', async () => {
    const accounts = accountTables(db);
    const given_up = accounts.transaction().execute(async (tx) => {
      await accountSql`select 1`.execute(tx);
      stopServer();
      await accountSql`select 1`.execute(tx);
    });
    await assert.rejects(given_up, DatabaseUnavailable);
    continueServer();
    await waitFor('it works again', async () => {
      const { rows } = await accountSql`select 1`.execute(accounts).catch(() => ({ rows: [] }));
      return rows.length === 1;
    });
    await waitFor('no connection stays in use', () => db.pool.totalCount === db.pool.idleCount);
  });

  test('F13: sign-in and a page of a signed-in person end with 503, and work again when it continues', async () => {
    const email = 'ana@example.com';
    const browser = await signUp(app, { email, organization: 'Acme' });
    const signIn = () => visitor(app.url).send('/auth/sign-in', { email, password });
    const openPage = () => browser.open('/auth');
    assert.deepEqual([(await signIn()).status, (await openPage()).status], [303, 200]);
    stopServer();
    for (const { status, headers } of await Promise.all([signIn(), signIn(), openPage()]))
      assert.deepEqual([status, headers.get('retry-after')], [503, '1']);
    continueServer();
    await waitFor('sign-in works again', async () => (await signIn()).status === 303);
    assert.equal((await openPage()).status, 200);
  });

  test('F13: a long transaction keeps its time, and goes on when the server continues', async () => {
    const limit_s = db.give_up_ms / 1000;
    const slow = sql`select pg_sleep(${limit_s + 0.5}::float8)`;
    await assert.rejects(
      db.transaction((tx) => tx.run(slow)),
      DatabaseUnavailable,
    );
    const long = db.transaction(
      async (tx) => {
        stopServer();
        const run = tx.run(slow);
        await assert.rejects(statementOf(db), DatabaseUnavailable);
        continueServer();
        return run;
      },
      { is_long: true },
    );
    assert.equal(await long, 1);
  });
});
