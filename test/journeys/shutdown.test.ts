// A busy service is stopped: started requests are finished, new ones are refused, and the process ends.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { test } from 'node:test';
import { createDatabase } from '../../packages/server/testing/database.ts';
import { databaseProxy } from './database-proxy.ts';
import { makeHome, until } from './process.ts';

async function isRefused(url: string): Promise<boolean> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  try {
    await once(socket, 'connect');
    return false;
  } catch (error) {
    // A connection that was not yet accepted when the listener closed is reset instead.
    return (error as NodeJS.ErrnoException).code === 'ECONNREFUSED';
  } finally {
    socket.destroy();
  }
}

test('a stop during requests', async (t) => {
  const database = await createDatabase();
  t.after(database.drop);
  const line = await databaseProxy(t, database.url);
  const settings = {
    DATABASE_URL: line.url,
    PARLEY_SHARED_KEY: 'a-long-key-that-only-this-story-knows',
    PARLEY_MASTER_KEY: Buffer.alloc(32, 1).toString('base64'),
    // Without a worker only the requests use the database connection.
    PARLEY_ROLES: 'api',
  };
  const service = await makeHome(t).start(settings);
  assert.equal((await service.request('GET', '/v1/contacts')).status, 200);
  const unused = connect(Number(new URL(service.url).port), '127.0.0.1');
  t.after(() => unused.destroy());
  await once(unused, 'connect');

  line.hold();
  const begun = [
    service.request('POST', '/v1/contacts', { name: 'Ana', email: 'ana@example.com' }),
    service.request('GET', '/v1/contacts'),
  ];
  await until(() => line.held() >= begun.length);
  const exit = service.stop('SIGTERM');

  await t.test('new connections are refused', () => until(() => isRefused(service.url)));

  await t.test('running requests get their responses', async () => {
    await line.restore();
    const answers = await Promise.all(begun);
    assert.deepEqual(
      answers.map(({ status }) => status),
      [201, 200],
    );
  });

  await t.test('the process ends with code 0, although clients keep their connections open', {}, async () => {
    assert.deepEqual(await exit, { code: 0, signal: null });
  });

  await t.test('the next process has what the last one confirmed', async () => {
    const next = await makeHome(t).start(settings);
    const [made] = await Promise.all(begun);
    const found = await next.request('GET', `/v1/contacts/${made!.body.id}`);
    assert.deepEqual(found.body, made!.body);
  });
});
