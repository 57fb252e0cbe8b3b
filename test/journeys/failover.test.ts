// A standby takes over while requests come in: with synchronous replication nothing that was answered is lost, and the
// service follows without a restart.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import pg from 'pg';
import {
  debian_postgres_missing,
  startDebianPostgres,
} from '../../packages/server/testing/debian-postgres.ts';
import { makeHome, type Service, until } from './process.ts';

const workers = 6;

type Load = {
  /** Rejects when a response is neither a success nor a refusal for now. */
  failed: Promise<unknown>;
  created: Set<string>;
  answers: Map<number, number>;
  stop(): Promise<void>;
};

/** Creates contacts until it is stopped. A request without a result is repeated with its key, as a client would. */
function createContacts(service: Service): Load {
  const created = new Set<string>();
  const answers = new Map<number, number>();
  let is_stopped = false;
  let count = 0;
  const createOne = async (name: string) => {
    while (!is_stopped) {
      const contact = { name, email: `${name}@example.com` };
      const answer = await service.request('POST', '/v1/contacts', contact, { 'idempotency-key': name });
      answers.set(answer.status, (answers.get(answer.status) ?? 0) + 1);
      if (answer.status === 201) created.add(String(answer.body.id));
      else assert.equal(answer.status, 503, answer.text);
      if (answer.status === 201) return;
    }
  };
  const loops = Array.from({ length: workers }, async () => {
    while (!is_stopped) await createOne(`person-${count++}`);
  });
  return {
    created,
    answers,
    failed: Promise.all(loops),
    async stop() {
      is_stopped = true;
      await Promise.all(loops);
    },
  };
}

async function query<T extends pg.QueryResultRow>(port: number, ...statements: string[]): Promise<T[]> {
  const client = new pg.Client({ host: '127.0.0.1', port, user: 'parley', database: 'postgres' });
  await client.connect();
  try {
    let rows: T[] = [];
    for (const statement of statements) rows = (await client.query<T>(statement)).rows;
    return rows;
  } finally {
    await client.end();
  }
}

const isReady = async (service: Service) => (await fetch(`${service.url}/readyz`)).status === 200;

test('a standby takes over under load', { skip: debian_postgres_missing }, async (t) => {
  const primary = await startDebianPostgres(t, { tcp: true });
  const standby = await startDebianPostgres(t, { standby_of: primary });
  const hosts = [standby, primary].map(({ port }) => `127.0.0.1:${port}`).join(',');
  const service = await makeHome(t).start({
    DATABASE_URL: `postgres://parley@${hosts}/postgres?target_session_attrs=read-write`,
    PARLEY_SHARED_KEY: 'a-long-key-that-only-this-test-knows',
    PARLEY_MASTER_KEY: Buffer.alloc(32, 1).toString('base64'),
    PARLEY_REQUESTS_PER_MINUTE: '1000000',
    PARLEY_ROLES: 'api,worker',
  });
  const [name, reload] = [`alter system set synchronous_standby_names = '*'`, 'select pg_reload_conf()'];
  await query(primary.port, name, reload);
  await until(async () => {
    const rows = await query(primary.port, `select from pg_stat_replication where sync_state = 'sync'`);
    return rows.length === 1;
  });

  const load = createContacts(service);
  await Promise.race([until(() => load.created.size >= 100), load.failed]);

  await t.test('while no server accepts writes the service is not ready, and requests get 503', async () => {
    await primary.kill();
    await until(async () => !(await isReady(service)));
    await until(() => (load.answers.get(503) ?? 0) > 0);
  });

  await t.test('after the standby is promoted the service works with it', async () => {
    await query(standby.port, 'select pg_promote()');
    await until(() => isReady(service));
    const before = load.created.size;
    await until(() => load.created.size >= before + 100);
    await load.stop();
    assert.deepEqual([...load.answers.keys()].toSorted(), [201, 503]);
  });

  await t.test('every contact that was answered is there, and none is there twice', async () => {
    const rows = await query<{ id: string; name: string }>(standby.port, 'select id, name from contacts');
    const ids = new Set(rows.map(({ id }) => id));
    assert.deepEqual(
      [...load.created].filter((id) => !ids.has(id)),
      [],
    );
    assert.equal(new Set(rows.map((row) => row.name)).size, rows.length);
  });

  await t.test('a server that becomes read-only is left too, also by its open connections', async () => {
    await query(standby.port, 'alter system set default_transaction_read_only = on', reload);
    await until(async () => !(await isReady(service)));
    const late = { name: 'Late', email: 'late@example.com' };
    const refused = await service.request('POST', '/v1/contacts', late);
    assert.equal(refused.body.code, 'database_unavailable');
    await query(
      standby.port,
      'set default_transaction_read_only = off',
      'alter system reset default_transaction_read_only',
      reload,
    );
    await until(() => isReady(service));
    assert.equal((await service.request('POST', '/v1/contacts', late)).status, 201);
  });
});
