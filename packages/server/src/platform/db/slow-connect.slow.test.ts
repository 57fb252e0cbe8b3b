// A database server whose machine is busy: connecting takes seconds, and requests wait for it instead of failing.
import assert from 'node:assert/strict';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { after, test } from 'node:test';
import { openTestDatabase } from '../../../testing/database.ts';
import { openDatabase } from './database.ts';
import { sql } from './sql.ts';

/** Longer than the limit that a busy machine once exceeded. */
const busy_ms = 6000;

test('U13: a database that needs six seconds for a connection is no database_unavailable', async () => {
  const { url, close } = await openTestDatabase();
  const target = new URL(url);
  const sockets = new Set<Socket>();
  let connections = 0;
  // Only the first connection is slow: on a busy machine the next ones find the server awake.
  const proxy = createServer((client) => {
    const delay_ms = connections++ === 0 ? busy_ms : 0;
    client.pause();
    setTimeout(() => {
      const server = connect(Number(target.port || 5432), target.hostname);
      for (const socket of [client, server]) {
        sockets.add(socket);
        socket.on('error', () => socket.destroy());
      }
      client.pipe(server).pipe(client);
    }, delay_ms);
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  const proxied = new URL(url);
  proxied.hostname = '127.0.0.1';
  proxied.port = String((proxy.address() as AddressInfo).port);
  const db = openDatabase({ url: proxied.href, max_connections: 1 });
  after(async () => {
    await db.close();
    for (const socket of sockets) socket.destroy();
    proxy.close();
    await close();
  });
  const answers = await Promise.all([1, 2, 3].map(() => db.rows<{ one: number }>(sql`select 1 as one`)));
  assert.deepEqual(answers.flat(), [{ one: 1 }, { one: 1 }, { one: 1 }]);
});
