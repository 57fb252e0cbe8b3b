// The operator stops a busy service: what was begun is finished, nothing new is taken, and the process goes.
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
    // One that was waiting to be taken while the listener closed is reset instead.
    return (error as NodeJS.ErrnoException).code === 'ECONNREFUSED';
  } finally {
    socket.destroy();
  }
}

test('a stop in the middle of work', async (t) => {
  const database = await createDatabase();
  t.after(database.drop);
  const line = await databaseProxy(t, database.url);
  const settings = {
    DATABASE_URL: line.url,
    PARLEY_SHARED_KEY: 'a-long-key-that-only-this-story-knows',
    PARLEY_MASTER_KEY: Buffer.alloc(32, 1).toString('base64'),
    // Without a worker the line carries nothing but the requests.
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

  await t.test('the requests that were under way get their answers', async () => {
    await line.restore();
    const answers = await Promise.all(begun);
    assert.deepEqual(
      answers.map(({ status }) => status),
      [201, 200],
    );
  });

  await t.test(
    'the process ends with code 0, although clients would have kept their connections',
    {},
    async () => {
      assert.deepEqual(await exit, { code: 0, signal: null });
    },
  );

  await t.test('the next process finds what the last one answered', async () => {
    const next = await makeHome(t).start(settings);
    const [made] = await Promise.all(begun);
    const found = await next.request('GET', `/v1/contacts/${made!.body.id}`);
    assert.deepEqual(found.body, made!.body);
  });
});
