// The guarded connector, with a simulated resolver and connect function.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer, connect as netConnect, Socket } from 'node:net';
import { describe, test } from 'node:test';
import { addressPolicy, type PrivateTargets } from './address-policy.ts';
import { guardedAgent } from './guarded-agent.ts';
import { type Connect, ConnectFailed, EgressRefused, guardedConnector } from './guarded-connector.ts';
import { RequestFailed, requestOnce } from './request-once.ts';
import type { Resolve } from './resolve-target.ts';

type ConnectOptions = Parameters<Connect>[0];

const PUBLIC = '93.184.216.34';
const OTHER_PUBLIC = '2606:4700::1111';

/** A simulated connect function: records its options and returns a socket with the chosen peer address. */
function fakeNetwork(
  answer: (options: ConnectOptions) => { peer?: string } | Error = ({ hostname }) => ({ peer: hostname }),
) {
  const connected: ConnectOptions[] = [];
  const sockets: Socket[] = [];
  const connect: Connect = (options, callback) => {
    connected.push(options);
    const outcome = answer(options);
    if (outcome instanceof Error) return callback(outcome, null);
    const socket = new Socket();
    Object.defineProperty(socket, 'remoteAddress', { value: outcome.peer });
    sockets.push(socket);
    callback(null, socket);
  };
  return { connected, sockets, connect };
}

function fakeDns(answers: Record<string, readonly string[]>) {
  const asked: string[] = [];
  const resolve: Resolve = async (hostname) => {
    asked.push(hostname);
    const addresses = answers[hostname];
    if (!addresses)
      throw Object.assign(new Error(`getaddrinfo ENOTFOUND ${hostname}`), { code: 'ENOTFOUND' });
    return addresses;
  };
  return { asked, resolve };
}

const policyFor = (private_targets: PrivateTargets, require_https = false) =>
  addressPolicy({ private_targets, require_https });

function open(connector: Connect, url: string): Promise<Socket> {
  const { protocol, hostname, port, host } = new URL(url);
  return new Promise((resolve, reject) => {
    connector({ protocol, hostname, host, port }, (error, socket) =>
      error ? reject(error) : resolve(socket),
    );
  });
}

const networkError = (code: string) => Object.assign(new Error(code), { code, syscall: 'connect' });

describe('refused addresses', () => {
  const refused_hosts = [
    ...[
      '127.0.0.1',
      '2130706433',
      '0x7f.1',
      '0177.0.0.1',
      '127.1',
      '[::1]',
      '[::ffff:127.0.0.1]',
      '[::ffff:7f00:1]',
    ],
    ...[
      '0.0.0.0',
      '[::]',
      'localhost',
      '169.254.169.254',
      '100.64.0.1',
      '10.0.0.1',
      '[fd00::1]',
      '[fe80::1]',
    ],
    ...['[64:ff9b::7f00:1]', '224.0.0.1', '[::7f00:1]', '[2002:7f00:1::]'],
  ];

  for (const host of refused_hosts) {
    test(`a request to ${host} is refused before anything is connected`, async () => {
      const network = fakeNetwork();
      const dns = fakeDns({ localhost: ['127.0.0.1', '::1'] });
      const agent = guardedAgent({
        policy: policyFor('deny'),
        resolve: dns.resolve,
        connect: network.connect,
      });
      for (const scheme of ['http', 'https']) {
        const request = {
          url: `${scheme}://${host}/`,
          method: 'POST',
          deadline_ms: 5000,
          max_response_bytes: 10,
        };
        await assert.rejects(requestOnce(agent, request), (error) => {
          assert.ok(error instanceof RequestFailed);
          assert.equal(error.reason, 'target_not_allowed');
          assert.ok(error.cause instanceof EgressRefused);
          assert.equal(error.cause.code, 'target_not_allowed');
          return true;
        });
      }
      assert.equal(network.connected.length, 0);
      if (host !== 'localhost') assert.deepEqual(dns.asked, [], 'an address needs no lookup');
      await agent.close();
    });
  }

  test('link-local and other forbidden addresses are refused even when the list opens everything', async () => {
    const network = fakeNetwork();
    const dns = fakeDns({ 'metadata.example': ['169.254.169.254'], 'v6.example': ['fe80::1'] });
    const policy = policyFor(['0.0.0.0/0', '::/0']);
    const connector = guardedConnector({ policy, resolve: dns.resolve, connect: network.connect });
    const hosts = ['169.254.169.254', '[fe80::1]', '0.0.0.0', '224.0.0.1', 'metadata.example', 'v6.example'];
    for (const host of hosts) await assert.rejects(open(connector, `http://${host}/`), EgressRefused, host);
    assert.equal(network.connected.length, 0);
  });

  test('a name with a private address is refused, also together with public ones', async () => {
    const network = fakeNetwork();
    const dns = fakeDns({
      'private.example': ['10.0.0.1'],
      'mixed.example': [PUBLIC, '10.0.0.1'],
      'mapped.example': [PUBLIC, '::ffff:127.0.0.1'],
      'odd.example': ['0x7f.1'],
      'empty.example': [],
    });
    const connector = guardedConnector({
      policy: policyFor('deny'),
      resolve: dns.resolve,
      connect: network.connect,
    });
    for (const name of ['private', 'mixed', 'mapped', 'odd', 'empty']) {
      await assert.rejects(open(connector, `http://${name}.example/`), EgressRefused, name);
    }
    assert.equal(network.connected.length, 0);
  });

  test('plain http is refused at connect time as well where https is required', async () => {
    const network = fakeNetwork();
    const dns = fakeDns({ 'public.example': [PUBLIC] });
    const policy = policyFor('deny', true);
    const connector = guardedConnector({ policy, resolve: dns.resolve, connect: network.connect });
    await assert.rejects(open(connector, 'http://public.example/'), {
      code: 'target_not_allowed',
      refusal: 'https_required',
    });
    assert.equal(network.connected.length, 0);
    await open(connector, 'https://public.example/');
    assert.equal(network.connected.length, 1);
  });
});

describe('allowed addresses', () => {
  test('the connection goes to the checked address, and TLS still uses the name in the URL', async () => {
    const network = fakeNetwork();
    const dns = fakeDns({ 'public.example': [PUBLIC, OTHER_PUBLIC] });
    const connector = guardedConnector({
      policy: policyFor('deny'),
      resolve: dns.resolve,
      connect: network.connect,
    });
    const socket = await open(connector, 'https://public.example:8443/');
    assert.equal(socket.destroyed, false);
    assert.deepEqual(network.connected, [
      { protocol: 'https:', hostname: PUBLIC, port: '8443', servername: 'public.example' },
    ]);
  });

  test('an address in the URL is used without a lookup and without a server name', async () => {
    const network = fakeNetwork();
    const dns = fakeDns({});
    const connector = guardedConnector({
      policy: policyFor('deny'),
      resolve: dns.resolve,
      connect: network.connect,
    });
    await open(connector, `https://${PUBLIC}/`);
    await open(connector, `https://[${OTHER_PUBLIC}]/`);
    assert.deepEqual(
      network.connected.map(({ hostname, servername }) => ({ hostname, servername })),
      [
        { hostname: PUBLIC, servername: undefined },
        { hostname: OTHER_PUBLIC, servername: undefined },
      ],
    );
    assert.deepEqual(dns.asked, []);
  });

  test('every connect resolves and checks the name again', async () => {
    const network = fakeNetwork();
    const answers: Record<string, string[]> = { 'moving.example': [PUBLIC] };
    const dns = fakeDns(answers);
    const connector = guardedConnector({
      policy: policyFor('deny'),
      resolve: dns.resolve,
      connect: network.connect,
    });
    await open(connector, 'http://moving.example/');
    answers['moving.example'] = ['127.0.0.1'];
    await assert.rejects(open(connector, 'http://moving.example/'), EgressRefused);
    assert.equal(dns.asked.length, 2);
    assert.equal(network.connected.length, 1);
  });

  test('after an unreachable address the next one is tried, up to a limit', async () => {
    const unreachable = new Set([PUBLIC]);
    const network = fakeNetwork(({ hostname }) =>
      unreachable.has(hostname) ? networkError('ECONNREFUSED') : { peer: hostname },
    );
    const many = Array.from({ length: 50 }, (_, index) => `93.184.216.${index + 1}`);
    const dns = fakeDns({ 'two.example': [PUBLIC, OTHER_PUBLIC], 'many.example': many });
    const connector = guardedConnector({
      policy: policyFor('deny'),
      resolve: dns.resolve,
      connect: network.connect,
    });
    await open(connector, 'http://two.example/');
    assert.deepEqual(
      network.connected.map(({ hostname }) => hostname),
      [PUBLIC, OTHER_PUBLIC],
    );

    for (const address of many) unreachable.add(address);
    network.connected.length = 0;
    await assert.rejects(open(connector, 'http://many.example/'), {
      name: 'ConnectFailed',
      code: 'connection_failed',
    });
    assert.equal(network.connected.length, 3);
  });

  test('a failed handshake is final: the next address would present the same certificate', async () => {
    const mismatch = Object.assign(new Error('wrong name'), { code: 'ERR_TLS_CERT_ALTNAME_INVALID' });
    const network = fakeNetwork(() => mismatch);
    const dns = fakeDns({ 'two.example': [PUBLIC, OTHER_PUBLIC] });
    const connector = guardedConnector({
      policy: policyFor('deny'),
      resolve: dns.resolve,
      connect: network.connect,
    });
    await assert.rejects(open(connector, 'https://two.example/'), { code: 'tls_failed', cause: mismatch });
    assert.equal(network.connected.length, 1);
  });

  test('a name that does not resolve is a DNS failure', async () => {
    const connector = guardedConnector({
      policy: policyFor('deny'),
      ...fakeDns({}),
      connect: fakeNetwork().connect,
    });
    await assert.rejects(open(connector, 'http://nowhere.example/'), (error) => {
      assert.ok(error instanceof ConnectFailed);
      assert.equal(error.code, 'dns_failed');
      return true;
    });
  });
});

describe('the peer', () => {
  test('a socket whose peer turns out to be private is destroyed and refused', async () => {
    for (const peer of ['127.0.0.1', '::ffff:10.0.0.1', '169.254.169.254']) {
      const network = fakeNetwork(() => ({ peer }));
      const dns = fakeDns({ 'rebinding.example': [PUBLIC] });
      const connector = guardedConnector({
        policy: policyFor('deny'),
        resolve: dns.resolve,
        connect: network.connect,
      });
      await assert.rejects(open(connector, 'http://rebinding.example/'), EgressRefused);
      assert.equal(network.connected[0]?.hostname, PUBLIC);
      assert.equal(network.sockets[0]?.destroyed, true);
    }
  });

  test('a peer that closes immediately is a failed connection, not a refusal', async () => {
    const network = fakeNetwork(() => ({}));
    const connector = guardedConnector({ policy: policyFor('deny'), connect: network.connect });
    await assert.rejects(open(connector, `http://${PUBLIC}/`), {
      name: 'ConnectFailed',
      code: 'connection_failed',
    });
    assert.equal(network.sockets[0]?.destroyed, true);
  });

  test('after DNS rebinding the connection is closed before any byte of the request is written', async (t) => {
    let received_bytes = 0;
    const closed = Promise.withResolvers<void>();
    const server = createServer((socket) => {
      socket.on('data', (data) => {
        received_bytes += data.length;
      });
      socket.on('error', () => {}).on('close', () => closed.resolve());
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;

    const connect: Connect = (_options, callback) => {
      const socket = netConnect(port, '127.0.0.1', () => callback(null, socket));
    };
    const dns = fakeDns({ 'rebinding.example': [PUBLIC] });
    const agent = guardedAgent({ policy: policyFor('deny'), resolve: dns.resolve, connect });
    t.after(async () => {
      await agent.destroy();
      server.close();
    });
    const request = { url: 'http://rebinding.example/', method: 'POST', body: 'secret' };
    await assert.rejects(requestOnce(agent, { ...request, deadline_ms: 5000, max_response_bytes: 10 }), {
      reason: 'target_not_allowed',
    });
    await closed.promise;
    assert.equal(received_bytes, 0);
  });
});
