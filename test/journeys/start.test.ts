// First start, later starts, and starts with wrong settings.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { nil_uuid } from '@parley/contract/limits';
import { createDatabase } from '../../packages/server/testing/database.ts';
import { freePort } from '../../packages/server/testing/free-port.ts';
import { databaseProxy } from './database-proxy.ts';
import { type Launched, makeHome, requester, until } from './process.ts';

const PARLEY_SHARED_KEY = 'a-long-key-that-only-this-story-knows';
const PARLEY_MASTER_KEY = Buffer.alloc(32, 'a key for this story').toString('base64');
const keys = { PARLEY_SHARED_KEY, PARLEY_MASTER_KEY };
const ana = { name: 'Ana Sousa', email: 'ana@example.com', phone_e164: '+14155550123' };

const timesPrinted = (text: string, output: string) => output.split(text).length - 1;

/** A start that must fail: its output without log lines and empty lines. */
async function refusal(launched: Launched): Promise<string[]> {
  const { code } = await launched.exited;
  assert.equal(code, 1, launched.output());
  return launched
    .output()
    .split('\n')
    .filter((line) => line.trim() !== '' && !line.startsWith('{"level"'));
}

test('from the first start to the second', async (t) => {
  const home = makeHome(t, { first_start: true });
  const first = await home.start();
  const key = /^ {2}Key +(\S+)$/m.exec(first.output())?.[1] ?? 'none';
  const contact = await requester(first.url, key)('POST', '/v1/contacts', ana);

  await t.test('a first start without settings prints where the API and its docs are', async () => {
    assert.match(first.url, /^http:\/\/127\.0\.0\.1:\d+$/);
    const docs = /^ {2}Docs +(\S+)$/m.exec(first.output())?.[1];
    assert.equal(docs, `${first.url}/docs`);
    assert.equal((await fetch(docs)).status, 200);
  });

  await t.test('it prints a key once, and the API accepts the key', async () => {
    assert.match(key, /^parley_sk_[\w-]{43}$/);
    assert.equal(timesPrinted(key, first.output()), 1);
    const me = await requester(first.url, key)('GET', '/v1/whoami');
    assert.equal(me.status, 200);
    assert.equal(me.body.organization_id, nil_uuid);
    assert.equal(contact.status, 201);
  });

  await t.test('the key is stored in the data folder, readable only by its owner', () => {
    const file = join(home.data_dir, 'shared-key');
    assert.equal(readFileSync(file, 'utf8'), `${key}\n`);
    assert.equal(statSync(file).mode & 0o777, 0o600);
  });

  await t.test('beside it is the operator key: printed once, stored, and a person for the API', async () => {
    const file = join(home.data_dir, 'operator-key');
    const operator_key = readFileSync(file, 'utf8').trim();
    assert.match(operator_key, /^parley_ok_[\w-]{43}$/);
    assert.equal(statSync(file).mode & 0o777, 0o600);
    assert.equal(timesPrinted(operator_key, first.output()), 1);
    const me = await requester(first.url, operator_key)('GET', '/v1/whoami');
    assert.deepEqual([me.status, me.body.auth_kind], [200, 'operator_key']);
  });

  await t.test('so is the master key, which is never printed', () => {
    const file = join(home.data_dir, 'master-key');
    const sealing = readFileSync(file, 'utf8').trim();
    assert.equal(Buffer.from(sealing, 'base64').length, 32);
    assert.equal(statSync(file).mode & 0o777, 0o600);
    assert.equal(timesPrinted(sealing, first.output()), 0);
  });

  await t.test(
    'another start on the same folder fails with one sentence and does not disturb the first',
    async () => {
      const lines = await refusal(home.launch());
      assert.equal(lines.length, 1);
      assert.match(lines[0]!, /already runs on the folder .*DATABASE_URL/);
      assert.equal((await first.request('GET', `/v1/contacts/${contact.body.id}`)).status, 200);
    },
  );

  await t.test('SIGTERM ends it with code 0 and leaves no PostgreSQL behind', async () => {
    assert.notEqual(home.postgresProcesses().length, 0);
    assert.deepEqual(await first.stop('SIGTERM'), { code: 0, signal: null });
    await home.noPostgresLeft();
  });

  const second = await home.start({ PARLEY_LOG_LEVEL: 'debug' });

  await t.test(
    'a second start keeps the contacts and the key, and does not print the key again',
    async () => {
      assert.equal(timesPrinted(key, second.output()), 0);
      assert.doesNotMatch(second.output(), /^ {2}Key/m);
      const found = await requester(second.url, key)('GET', `/v1/contacts/${contact.body.id}`);
      assert.deepEqual(found.body, contact.body);
    },
  );

  await t.test('not even the debug level shows the password of the embedded database', () => {
    const password = readFileSync(join(home.data_dir, 'postgres-password'), 'utf8').trim();
    assert.notEqual(password, '');
    assert.equal(timesPrinted(password, first.output() + second.output()), 0);
  });

  await t.test('SIGINT ends it with code 0 and leaves no PostgreSQL behind', async () => {
    assert.notEqual(home.postgresProcesses().length, 0);
    assert.deepEqual(await second.stop('SIGINT'), { code: 0, signal: null });
    await home.noPostgresLeft();
  });
});

describe('a start that cannot succeed', { concurrency: 3 }, () => {
  test('a port in use is named, and the started database is stopped again', async (t) => {
    const home = makeHome(t);
    const other = createServer().listen(0, '127.0.0.1');
    t.after(() => other.close());
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    const lines = await refusal(home.launch({ PORT: String(port) }));
    assert.equal(lines.length, 1);
    assert.match(lines[0]!, new RegExp(`Port ${port} on 127\\.0\\.0\\.1 is in use`));
    await home.noPostgresLeft();

    // The key is printed by the first start that succeeds.
    const service = await home.start();
    assert.equal(timesPrinted(service.key, service.output()), 1);
  });

  test('all wrong settings are listed together, also a misspelled name, and no secret is printed', async (t) => {
    const lines = await refusal(
      makeHome(t).launch({
        PORT: '80 80',
        PARLEY_LOG_LEVEL: 'loud',
        PARLEY_ROLES: 'api,wroker',
        DATABASE_URL: 'mysql://root:hunter2@127.0.0.1/parley',
        PARLEY_SHARED_KYE: PARLEY_SHARED_KEY,
      }),
    );
    assert.match(lines[0]!, /5 problems/);
    const named = lines.slice(1).map((line) => line.trim().split(':')[0]);
    assert.deepEqual(named.toSorted(), [
      'DATABASE_URL',
      'PARLEY_LOG_LEVEL',
      'PARLEY_ROLES',
      'PARLEY_SHARED_KYE',
      'PORT',
    ]);
    assert.doesNotMatch(lines.join('\n'), /hunter2|only-this-story-knows/);
  });

  test('a data folder that cannot be used is reported in one sentence', async (t) => {
    const home = makeHome(t);
    const file = join(home.folder, 'occupied');
    writeFileSync(file, 'not a folder');
    const lines = await refusal(home.launch({ PARLEY_DATA_DIR: file }));
    assert.equal(lines.length, 1);
    assert.match(lines[0]!, /The data folder .*occupied cannot be used .*PARLEY_DATA_DIR/);
  });

  test('an own database without a key is refused with the settings to use', async (t) => {
    const lines = await refusal(makeHome(t).launch({ DATABASE_URL: 'postgres://127.0.0.1:1/parley' }));
    assert.equal(lines.length, 1);
    assert.match(lines[0]!, /With DATABASE_URL a credential must be set too: give PARLEY_SHARED_KEY/);
  });

  test('a process whose master key does not fit the database is refused', async (t) => {
    const database = await createDatabase();
    t.after(database.drop);
    const settings = { DATABASE_URL: database.url, PARLEY_SHARED_KEY };
    await (await makeHome(t).start({ ...settings, PARLEY_MASTER_KEY })).stop();
    const other = Buffer.alloc(32, 'another').toString('base64');
    for (const wrong of [settings, { ...settings, PARLEY_MASTER_KEY: other }]) {
      const lines = await refusal(makeHome(t).launch(wrong));
      assert.match(lines.at(-1)!, /sealed with another master key\. Set PARLEY_MASTER_KEY/);
    }
    await (
      await makeHome(t).start({ ...settings, PARLEY_MASTER_KEY: `${other},${PARLEY_MASTER_KEY}` })
    ).stop();
  });

  test('processes without a master key share one, and one that is set later replaces it', async (t) => {
    const database = await createDatabase();
    t.after(database.drop);
    const settings = { DATABASE_URL: database.url, PARLEY_SHARED_KEY };
    const hook = { target_url: 'http://127.0.0.1:1/', event_types: ['call.answered'] };
    const first = await makeHome(t).start(settings);
    const made = await first.request<{ id: string }>('POST', '/v1/webhooks', hook);
    assert.equal(made.status, 201);
    await first.stop();
    for (const later of [settings, { ...settings, PARLEY_MASTER_KEY }]) {
      const next = await makeHome(t).start(later);
      assert.equal((await next.request('POST', `/v1/webhooks/${made.body.id}/test`)).status, 201);
      await next.stop();
    }
  });

  test('a refused database password is reported immediately, without the password', async (t) => {
    const database = await createDatabase();
    t.after(database.drop);
    const wrong = Object.assign(new URL(database.url), { password: 'hunter2' }).href;
    const lines = await refusal(makeHome(t).launch({ DATABASE_URL: wrong, ...keys }));
    assert.equal(lines.length, 1);
    assert.match(
      lines[0]!,
      /The database refuses the connection: password authentication failed .*DATABASE_URL/,
    );
    assert.doesNotMatch(lines[0]!, /hunter2/);
  });

  test('the start waits for an unreachable database, and fails with the reason', async (t) => {
    // `localhost` is tried as IPv6 and as IPv4, and both are refused.
    const lines = await refusal(
      makeHome(t).launch({
        DATABASE_URL: `postgres://parley:hunter2@localhost:${await freePort()}/parley`,
        ...keys,
        PARLEY_DATABASE_PATIENCE_SECONDS: '2',
      }),
    );
    assert.match(lines[0]!, /^Waiting for the database \(.*ECONNREFUSED/);
    assert.match(lines.at(-1)!, /did not respond within 2 s \(.*ECONNREFUSED.*DATABASE_URL/);
    assert.doesNotMatch(lines.join('\n'), /hunter2/);
  });

  test('a database that becomes reachable during the wait is used', async (t) => {
    const database = await createDatabase();
    t.after(database.drop);
    const line = await databaseProxy(t, database.url);
    await line.cut();
    const launched = makeHome(t).launch({ DATABASE_URL: line.url, ...keys });
    await launched.prints(/^Waiting for the database/m);
    await line.restore();
    await launched.prints(/Parley is ready/);
    await launched.kill();
  });
});

describe('a stop during the start', { concurrency: 2 }, () => {
  test('while the embedded database starts: code 0, and no PostgreSQL is left', async (t) => {
    const home = makeHome(t, { first_start: true });
    const launched = home.launch();
    await until(() => home.postgresProcesses().length > 0);
    assert.deepEqual(await launched.stop('SIGTERM'), { code: 0, signal: null });
    await home.noPostgresLeft();
  });

  test('while it waits for a database: code 0 immediately', async (t) => {
    const launched = makeHome(t).launch({
      DATABASE_URL: `postgres://127.0.0.1:${await freePort()}/parley`,
      ...keys,
      PARLEY_DATABASE_PATIENCE_SECONDS: '3600',
    });
    await launched.prints(/^Waiting for the database/m);
    assert.deepEqual(await launched.stop('SIGINT'), { code: 0, signal: null });
  });
});

test('the debug log contains no key, password or personal data, also after errors', async (t) => {
  const database = await createDatabase('empty');
  t.after(database.drop);
  const line = await databaseProxy(t, database.url);
  const service = await makeHome(t).start({
    DATABASE_URL: line.url,
    ...keys,
    PARLEY_LOG_LEVEL: 'debug',
  });
  const wrong_key = 'a-key-that-nobody-issued';
  assert.equal((await service.request('POST', '/v1/contacts', ana)).status, 201);
  assert.equal((await service.request('POST', '/v1/contacts', ana)).status, 409);
  assert.equal((await requester(service.url, wrong_key)('GET', '/v1/whoami')).status, 401);
  await line.cut();
  assert.equal((await service.request('GET', '/v1/contacts')).status, 503);
  await service.prints(/request failed/);
  await line.restore();
  await service.stop();

  const { password } = new URL(database.url);
  for (const secret of [PARLEY_SHARED_KEY, PARLEY_MASTER_KEY, wrong_key, password, ...Object.values(ana)]) {
    assert.equal(timesPrinted(secret, service.output()), 0, secret);
  }
  // The secret that cancels queries of a connection, and other internals of the driver.
  assert.doesNotMatch(service.output(), /secretKey|connectionParameters/);
});
