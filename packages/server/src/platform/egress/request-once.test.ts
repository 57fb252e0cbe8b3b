// One guarded request to real receivers on loopback, including hostile ones.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer as createHttpServer, type Server as HttpServer, type RequestListener } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from 'node:net';
import { after, describe, type TestContext, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { request as undiciRequest } from 'undici';
import { addressPolicy } from './address-policy.ts';
import { guardedAgent } from './guarded-agent.ts';
import { type OutgoingRequest, RequestFailed, readCapped, requestOnce } from './request-once.ts';

const policy = addressPolicy({ private_targets: ['127.0.0.1/32'], require_https: false });
const agent = guardedAgent({ policy });
after(() => agent.destroy());

const KEPT_BYTES = 1024;
// Long where a test expects a response, because the machine may be slow; short where it expects the deadline.
const AMPLE_MS = 20_000;
const SHORT_MS = 150;

const post = (url: string, changes: Partial<OutgoingRequest> = {}) =>
  requestOnce(agent, {
    url,
    method: 'POST',
    body: 'hello',
    deadline_ms: AMPLE_MS,
    max_response_bytes: KEPT_BYTES,
    ...changes,
  });

async function failure(pending: Promise<unknown>): Promise<RequestFailed> {
  const error = await pending.then(
    () => assert.fail('the request should have failed'),
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof RequestFailed, String(error));
  return error;
}

async function listen(t: TestContext, server: Server): Promise<string> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket.on('error', () => {}));
    socket.once('close', () => sockets.delete(socket));
  });
  t.after(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

const httpReceiver = (listener: RequestListener): HttpServer =>
  createHttpServer({ keepAliveTimeout: 60_000 }, listener);

/** A receiver that writes arbitrary bytes to each connection. */
const rawReceiver = (answer: (socket: Socket) => void): Server =>
  createTcpServer((socket) => socket.once('data', () => answer(socket)));

/** A reset closes a connection too. */
const firstConnectionClosed = (server: Server) =>
  new Promise((resolve) => server.once('connection', (socket: Socket) => socket.once('close', resolve)));

/** Writes repeatedly until the other side closes the connection. */
function repeat(socket: Socket, interval_ms: number, bytes: string | Buffer): void {
  const timer = setInterval(() => socket.write(bytes), interval_ms);
  socket.once('close', () => clearInterval(timer));
}

describe('a normal receiver', () => {
  test('the response has its status, headers and body', async (t) => {
    const url = await listen(
      t,
      httpReceiver(async (request, response) => {
        const chunks = await request.toArray();
        response.writeHead(202, { 'content-type': 'text/plain', 'x-echo': request.headers['x-asked'] });
        response.end(`${request.method} ${request.url} ${Buffer.concat(chunks)}`);
      }),
    );
    const answer = await post(`${url}path?query=1`, { headers: { 'x-asked': 'yes' } });
    assert.equal(answer.status, 202);
    assert.equal(answer.headers['x-echo'], 'yes');
    assert.equal(answer.body_start.toString(), 'POST /path?query=1 hello');
    assert.ok(Number.isInteger(answer.duration_ms));
  });

  test('one connection serves many requests, also when the body is longer than the kept part', async (t) => {
    let connections = 0;
    const server = httpReceiver((_request, response) => response.end('x'.repeat(KEPT_BYTES * 10)));
    server.on('connection', () => connections++);
    const url = await listen(t, server);
    const one_connection = guardedAgent({ policy, connections_per_origin: 1 });
    for (let sent = 0; sent < 5; sent++) {
      const request = { url, method: 'POST', deadline_ms: AMPLE_MS, max_response_bytes: KEPT_BYTES };
      const answer = await requestOnce(one_connection, request);
      assert.equal(answer.body_start.toString(), 'x'.repeat(KEPT_BYTES));
    }
    assert.equal(connections, 1);
    await one_connection.close();
  });

  test('an empty response, an interim response and a response that ends by closing are accepted', async (t) => {
    const empty = await listen(
      t,
      httpReceiver((_request, response) => response.writeHead(204).end()),
    );
    assert.deepEqual(
      await post(empty).then(({ status, body_start }) => [status, body_start.length]),
      [204, 0],
    );

    const hinting = rawReceiver((socket) =>
      socket.write(
        'HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok',
      ),
    );
    assert.deepEqual(
      await post(await listen(t, hinting)).then(({ status, body_start }) => [status, `${body_start}`]),
      [200, 'ok'],
    );

    const closing = rawReceiver((socket) => socket.end('HTTP/1.0 200 OK\r\n\r\nbye'));
    assert.equal((await post(await listen(t, closing))).body_start.toString(), 'bye');
  });
});

describe('a receiver that never stops', () => {
  // Only the size limit may end this request: its deadline is after the end of the test.
  test('an endless body is truncated, is not an error, and closes the connection', {
    timeout: 60_000,
  }, async (t) => {
    const server = rawReceiver((socket) => {
      socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n');
      repeat(socket, 0, `4000\r\n${'x'.repeat(0x4000)}\r\n`);
    });
    const closed = firstConnectionClosed(server);
    const answer = await post(await listen(t, server), { deadline_ms: 600_000 });
    assert.equal(answer.status, 200);
    assert.equal(answer.body_start.toString(), 'x'.repeat(KEPT_BYTES));
    await closed;
  });

  test('a slow body ends at the deadline, also while bytes still arrive', async (t) => {
    const server = rawReceiver((socket) => {
      socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n');
      repeat(socket, 5, '1\r\nx\r\n');
    });
    const closed = firstConnectionClosed(server);
    const error = await failure(
      post(await listen(t, server), { deadline_ms: SHORT_MS, max_response_bytes: 1e6 }),
    );
    assert.equal(error.reason, 'timeout');
    await closed;
  });

  test('after the kept part a slow rest changes nothing, and still ends at the deadline', async (t) => {
    const server = rawReceiver((socket) => {
      socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n4\r\nxxxx\r\n');
      repeat(socket, 5, '1\r\nx\r\n');
    });
    const closed = firstConnectionClosed(server);
    const answer = await post(await listen(t, server), { deadline_ms: 1000, max_response_bytes: 3 });
    assert.equal(answer.body_start.toString(), 'xxx');
    await closed;
  });

  test('slow headers end at the deadline', async (t) => {
    const server = rawReceiver((socket) => {
      socket.write('HTTP/1.1 200 OK\r\n');
      repeat(socket, 5, 'x-drip: x\r\n');
    });
    assert.equal((await failure(post(await listen(t, server), { deadline_ms: SHORT_MS }))).reason, 'timeout');
  });

  test('endless interim responses end at the deadline', async (t) => {
    const server = rawReceiver((socket) => repeat(socket, 5, 'HTTP/1.1 103 Early Hints\r\n\r\n'));
    assert.equal((await failure(post(await listen(t, server), { deadline_ms: SHORT_MS }))).reason, 'timeout');
  });

  test('a receiver that hangs ends at the deadline', async (t) => {
    const hanging = await listen(
      t,
      rawReceiver(() => {}),
    );
    const error = await failure(post(hanging, { deadline_ms: SHORT_MS }));
    assert.equal(error.reason, 'timeout');
    assert.ok(error.duration_ms > 0);
  });

  test('a DNS lookup that hangs ends at the deadline', async () => {
    const resolve = () => new Promise<never>(() => {});
    const waiting = guardedAgent({ policy, resolve, connect: () => assert.fail('nothing to connect to') });
    const request = {
      url: 'http://slow.example/',
      method: 'GET',
      deadline_ms: SHORT_MS,
      max_response_bytes: 1,
    };
    assert.equal((await failure(requestOnce(waiting, request))).reason, 'timeout');
    await waiting.destroy();
  });

  test('headers beyond 16 KiB are refused, also when they never end', async (t) => {
    const answering = (size_bytes: number) =>
      rawReceiver((socket) =>
        socket.write(`HTTP/1.1 200 OK\r\nx-big: ${'x'.repeat(size_bytes)}\r\ncontent-length: 0\r\n\r\n`),
      );
    assert.equal((await post(await listen(t, answering(15 * 1024)))).status, 200);
    assert.equal(
      (await failure(post(await listen(t, answering(17 * 1024))))).reason,
      'response_headers_too_large',
    );

    const endless = rawReceiver((socket) => {
      socket.write('HTTP/1.1 200 OK\r\n');
      repeat(socket, 0, `x-big: ${'x'.repeat(1000)}\r\n`);
    });
    assert.equal((await failure(post(await listen(t, endless)))).reason, 'response_headers_too_large');
  });
});

describe('a receiver with unusual responses', () => {
  test('a compressed body is kept unchanged', async (t) => {
    const bomb = gzipSync(Buffer.alloc(20_000_000));
    const url = await listen(
      t,
      httpReceiver((_request, response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb)),
    );
    const answer = await post(url, { max_response_bytes: 1e6 });
    assert.equal(answer.headers['content-encoding'], 'gzip');
    assert.deepEqual(answer.body_start, bomb);
  });

  test('a redirect is a normal response and is not followed', async (t) => {
    const asked: string[] = [];
    const url = await listen(
      t,
      httpReceiver((request, response) => {
        asked.push(request.url!);
        response.writeHead(307, { location: '/elsewhere' }).end();
      }),
    );
    const answer = await post(url);
    assert.equal(answer.status, 307);
    assert.equal(answer.headers.location, '/elsewhere');
    assert.deepEqual(asked, ['/']);
  });

  test('bytes that are not HTTP are an invalid response', async (t) => {
    const greeting = await listen(
      t,
      rawReceiver((socket) => socket.write('220 mail.example ESMTP\r\n')),
    );
    assert.equal((await failure(post(greeting))).reason, 'response_invalid');
  });

  test('an incomplete body is a failed connection', async (t) => {
    const server = rawReceiver((socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nhalf'));
    assert.equal((await failure(post(await listen(t, server)))).reason, 'connection_failed');
  });
});

describe('an unreachable receiver', () => {
  test('a connection that is reset or closed without a response has failed', async (t) => {
    const resetting = await listen(
      t,
      rawReceiver((socket) => socket.resetAndDestroy()),
    );
    assert.equal((await failure(post(resetting))).reason, 'connection_failed');
    const closing = await listen(
      t,
      rawReceiver((socket) => socket.end()),
    );
    assert.equal((await failure(post(closing))).reason, 'connection_failed');
    const closing_at_once = await listen(
      t,
      createTcpServer((socket) => socket.resetAndDestroy()),
    );
    assert.equal((await failure(post(closing_at_once))).reason, 'connection_failed');
  });

  test('a closed port is a failed connection', async () => {
    const server = createTcpServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    server.close();
    await once(server, 'close');
    assert.equal((await failure(post(`http://127.0.0.1:${port}/`))).reason, 'connection_failed');
  });

  test('a name that does not resolve is a DNS failure', async () => {
    const resolve = () => Promise.reject(new Error('getaddrinfo ENOTFOUND nowhere.example'));
    const lost = guardedAgent({ policy, resolve, connect: () => assert.fail('nothing to connect to') });
    const request = {
      url: 'http://nowhere.example/',
      method: 'GET',
      deadline_ms: AMPLE_MS,
      max_response_bytes: 1,
    };
    assert.equal((await failure(requestOnce(lost, request))).reason, 'dns_failed');
    await lost.close();
  });
});

test('a request whose deadline passes while it waits for a connection is never sent, and the connection stays open', async (t) => {
  const bodies: string[] = [];
  let connections = 0;
  const held = Promise.withResolvers<void>();
  const server = httpReceiver(async (request, response) => {
    bodies.push(Buffer.concat(await request.toArray()).toString());
    if (bodies.length === 1) await held.promise;
    response.end('ok');
  });
  server.on('connection', () => connections++);
  const url = await listen(t, server);
  const one_connection = guardedAgent({ policy, connections_per_origin: 1 });
  const send = (body: string, deadline_ms: number) =>
    requestOnce(one_connection, { url, method: 'POST', body, deadline_ms, max_response_bytes: 10 });

  const first = send('first', AMPLE_MS);
  const late = await failure(send('late', SHORT_MS));
  assert.equal(late.reason, 'timeout');
  held.resolve();
  assert.equal((await first).status, 200);
  assert.equal((await send('third', AMPLE_MS)).status, 200);
  assert.deepEqual(bodies, ['first', 'third']);
  assert.equal(connections, 1);
  await one_connection.close();
});

test('an error in our own code is not reported as an error of the receiver', async (t) => {
  const url = await listen(
    t,
    httpReceiver((_request, response) => response.end()),
  );
  await assert.rejects(post(url, { headers: { 'x-bad': 'a\r\nb' } }), { code: 'UND_ERR_INVALID_ARG' });
  const closed = guardedAgent({ policy });
  await closed.close();
  const request = { url, method: 'GET', deadline_ms: AMPLE_MS, max_response_bytes: 1 };
  await assert.rejects(requestOnce(closed, request), { code: 'UND_ERR_DESTROYED' });
});

test('a streamed body is read up to its limit and then destroyed', async (t) => {
  const url = await listen(
    t,
    httpReceiver((request, response) => {
      if (request.url === '/small') return void response.end('small');
      const write = () => {
        while (response.write('x'.repeat(1000)));
      };
      response.on('drain', write);
      write();
    }),
  );
  const small = await undiciRequest(`${url}small`, { dispatcher: agent });
  assert.equal((await readCapped(small.body, 100)).toString(), 'small');
  const endless = await undiciRequest(url, { dispatcher: agent });
  assert.equal((await readCapped(endless.body, 2500)).toString(), 'x'.repeat(2500));
  assert.equal(endless.body.destroyed, true);
});
