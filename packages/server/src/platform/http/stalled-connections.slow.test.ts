// Connections of clients that read nothing of their response are closed; those of slow clients stay open (O7).
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { after, test } from 'node:test';
import { startTestApp } from '../../../testing/app.ts';
import { eventually } from '../../../testing/calls.ts';
import { pause } from '../../../testing/wait-for.ts';
import { readConfig } from '../../config/config.ts';
import { startMcpRole } from '../../start/mcp/mcp-role.ts';
import { sql } from '../db/sql.ts';
import { makeLog } from '../log.ts';

const settings = { PARLEY_CLIENT_STALL_SECONDS: '1' };
const { app, client, db, url } = await startTestApp(settings);
const authorization = `Authorization: Bearer ${client.key}`;

const connections = () =>
  new Promise<number>((resolve, reject) =>
    app.http.server.getConnections((error, count) => (error ? reject(error) : resolve(count))),
  );
const noneLeft = () => eventually('every connection is closed', async () => (await connections()) === 0);

/** Sends a request, and reads nothing until `resume()` is called on the socket. */
async function sendWithoutReading(address: string, bytes: string): Promise<Socket> {
  const { hostname, port } = new URL(address);
  const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
  after(() => socket.destroy());
  socket.on('error', () => {});
  await once(socket, 'connect');
  socket.pause();
  socket.write(bytes);
  return socket;
}

const large = Buffer.alloc(20 * 1024 * 1024, 'x');

async function linkToLargeFile(): Promise<URL> {
  const form = new FormData();
  form.append('file', new Blob([large]), 'large.bin');
  const uploaded = await fetch(`${url}/v1/email-attachments`, {
    method: 'POST',
    headers: { authorization: `Bearer ${client.key}`, connection: 'close' },
    body: form,
  });
  const { id } = (await uploaded.json()) as { id: string };
  const sent = await client.request<{ attachments: { url: string }[] }>(
    'POST',
    '/v1/emails',
    { recipient_consent: true, to: ['bob@example.org'], subject: 'Large', attachment_ids: [id] },
    { connection: 'close' },
  );
  const { pathname } = new URL(sent.body.attachments[0]!.url);
  const link = await client.request('GET', pathname, undefined, { connection: 'close' });
  return new URL(link.headers.get('location')!);
}

const download = ({ pathname, search }: URL) =>
  `GET ${pathname}${search} HTTP/1.1\r\nHost: localhost\r\n\r\n`;

test('a download that is never read is closed (O7)', async () => {
  const link = await linkToLargeFile();
  await noneLeft();
  await sendWithoutReading(url, download(link));
  await eventually('the connection is open', async () => (await connections()) === 1);
  await noneLeft();
});

test('an event stream that is never read is closed once data waits to be sent (O7)', async () => {
  await noneLeft();
  const last = await client.request<{ items: { id: string }[] }>('GET', '/v1/events?limit=1', undefined, {
    connection: 'close',
  });
  await db.run(sql`
    insert into events (id, organization_id, type, resource_id, created_at, payload)
    select gen_random_uuid(), ${client.organization_id}::uuid, 'call.completed', gen_random_uuid(), now(), repeat('x', 100000)
      from generate_series(1, 300)`);
  await noneLeft();
  await sendWithoutReading(
    url,
    `GET /v1/events/stream HTTP/1.1\r\nHost: localhost\r\n${authorization}\r\nLast-Event-ID: ${last.body.items[0]!.id}\r\n\r\n`,
  );
  await eventually('the connection is open', async () => (await connections()) === 1);
  await noneLeft();
});

test('a client that keeps its side open after a refusal is closed (O7)', async () => {
  await noneLeft();
  const socket = await sendWithoutReading(url, 'NONSENSE\r\n\r\n');
  socket.resume();
  await once(socket, 'end');
  await noneLeft();
});

test('a download that is read slowly is not closed (O7)', async () => {
  const socket = await sendWithoutReading(url, download(await linkToLargeFile()));
  // Takes several times the stall limit, with a pause after every megabyte.
  let read = 0;
  for await (const chunk of socket) {
    read += (chunk as Buffer).length;
    if (read % (1024 * 1024) < (chunk as Buffer).length)
      await pause(150, 'the client reads slowly on purpose');
    if (read >= large.length) break;
  }
  assert.ok(read >= large.length);
});

test('the same applies to the MCP server (O7)', async () => {
  const mcp = await startMcpRole({
    config: readConfig({ MCP_PORT: '0', ...settings }, process.cwd()),
    log: makeLog({ level: 'silent', show_personal_data: false }),
    tracing: null,
    beside: { url, shared_key: client.key, issuer: null },
  });
  const body = '{"jsonrpc":"2.0","id":1,"method":"tools/list"}';
  const list = `POST /mcp HTTP/1.1\r\nHost: localhost\r\nAccept: application/json, text/event-stream\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
  const socket = await sendWithoutReading(mcp.url, list.repeat(1000));
  // Without a closed connection this close would wait forever.
  const closed = mcp.close();
  await closed;
  socket.destroy();
});
