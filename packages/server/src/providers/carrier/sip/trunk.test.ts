// The trunk besides calls: untrusted and malformed messages, health, settings, TLS.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { answerCalls, stopAll, until } from './testing/answer-calls.ts';
import { startTrunk } from './testing/trunk.ts';

// ---- untrusted and malformed messages

function sendText(text: string, port: number): Promise<Socket> {
  const socket = createSocket('udp4');
  return new Promise((resolve) =>
    socket.bind(0, '127.0.0.1', () => socket.send(text, port, '127.0.0.1', () => resolve(socket))),
  );
}

const request = (method: string, more: string[] = []) =>
  [
    `${method} sip:+15005550100@127.0.0.1 SIP/2.0`,
    'Via: SIP/2.0/UDP 127.0.0.1:9;branch=z9hG4bK-1;rport',
    'From: <sip:scanner@127.0.0.1>;tag=1',
    'To: <sip:+15005550100@127.0.0.1>',
    'Call-ID: scan',
    `CSeq: 1 ${method}`,
    'Contact: <sip:scanner@127.0.0.1:9>',
    'Content-Length: 0',
    ...more,
    '',
    '',
  ].join('\r\n');

test('a request from an untrusted address is dropped without a response, and counted', async () => {
  const inbound = answerCalls();
  // The trunk's host has another address than the sender.
  const trunk = await startTrunk(
    { peer_port: 9, trunk: { host: 'trunk.test', port: 9 } },
    { ...inbound, resolver: { lookup: async () => [{ address: '127.0.0.2' }], resolveSrv: async () => [] } },
  );
  let answers = 0;
  const sender = await sendText(request('INVITE'), trunk.port);
  sender.on('message', () => answers++);
  await until(() => trunk.stats().sip_untrusted_dropped === 1);
  assert.deepEqual([answers, inbound.offers.length], [0, 0]);
  sender.close();
  await stopAll(trunk);
});

const responseTo = (invite: Buffer, status: string) =>
  `${String(invite).split('\r\n\r\n')[0]}\r\n\r\n`
    .replace(/^INVITE .*\r$/m, `SIP/2.0 ${status}\r`)
    .replace(/^(To: .*)\r$/m, '$1;tag=x\r')
    .replace(/^Content-Length: .*\r$/m, 'Content-Length: 0\r');

test('a response from an address that got no request is dropped and counted', async () => {
  const peer = createSocket('udp4');
  const forger = createSocket('udp4');
  await new Promise<void>((resolve) => peer.bind(0, '127.0.0.1', resolve));
  await new Promise<void>((resolve) => forger.bind(0, '127.0.0.2', resolve));
  const trunk = await startTrunk({ peer_port: peer.address().port });
  const [call, [invite]] = await Promise.all([trunk.call(), once(peer, 'message') as Promise<[Buffer]>]);
  forger.send(responseTo(invite, '603 Decline'), trunk.port, '127.0.0.1');
  await until(() => trunk.stats().sip_untrusted_dropped === 1);
  assert.equal(trunk.state(call.id), 'live');
  peer.send(responseTo(invite, '486 Busy Here'), trunk.port, '127.0.0.1');
  assert.equal((await call.ended()).end_reason, 'busy');
  await stopAll(trunk);
  peer.close();
  forger.close();
});

test('a call that was given up before the first response of the trunk is canceled when that response comes', async () => {
  const peer = createSocket('udp4');
  await new Promise<void>((resolve) => peer.bind(0, '127.0.0.1', resolve));
  const received: string[] = [];
  peer.on('message', (text) => received.push(String(text)));
  const trunk = await startTrunk({ peer_port: peer.address().port });
  const [call, [invite]] = await Promise.all([trunk.call(), once(peer, 'message') as Promise<[Buffer]>]);
  assert.equal(trunk.hangUp(call.id, 'api_hangup'), 'ended');
  assert.equal((await call.ended()).end_reason, 'canceled');
  peer.send(responseTo(invite, '180 Ringing'), trunk.port, '127.0.0.1');
  await until(() => received.some((text) => text.startsWith('CANCEL ')));
  await stopAll(trunk);
  peer.close();
});

test('a trusted network may call', async () => {
  const inbound = answerCalls();
  const callee = await startTrunk(
    {
      peer_port: 9,
      trunk: { host: 'trunk.test', port: 9 },
      trusted_sources: [{ address: '127.0.0.0', prefix: 8 }],
    },
    { ...inbound, resolver: { lookup: async () => [{ address: '127.0.0.2' }], resolveSrv: async () => [] } },
  );
  const caller = await startTrunk({ peer_port: callee.port });
  const call = await caller.call();
  assert.ok(await call.media());
  await stopAll(caller, callee);
});

test('OPTIONS of the trunk gets a response with our methods, and an UPDATE without a call is refused', async () => {
  const trunk = await startTrunk({ peer_port: 9 }, answerCalls());
  const asker = await sendText(request('OPTIONS'), trunk.port);
  const [answer] = (await once(asker, 'message')) as [Buffer];
  assert.match(String(answer), /^SIP\/2\.0 200 OK\r\n/);
  assert.match(String(answer), /^Allow: INVITE,ACK,CANCEL,BYE,OPTIONS,UPDATE\r$/m);
  asker.send(request('UPDATE').replace('z9hG4bK-1', 'z9hG4bK-2'), trunk.port, '127.0.0.1');
  const [refusal] = (await once(asker, 'message')) as [Buffer];
  assert.match(String(refusal), /^SIP\/2\.0 481 /);
  asker.close();
  await stopAll(trunk);
});

test('malformed messages are counted and have no other effect', async () => {
  const inbound = answerCalls();
  const callee = await startTrunk({ peer_port: 9 }, inbound);
  const nonsense = [
    'hello',
    '\0'.repeat(500),
    'INVITE sip:a SIP/2.0\r\n\r\n',
    request('INVITE').replace('CSeq: 1 INVITE', 'CSeq: nothing'),
    request('INVITE').replace(/From:.*\r\n/, ''),
    request('INVITE').replace('Contact: <sip:scanner@127.0.0.1:9>', 'Contact: <<<>>>'),
    request('BYE').replace('127.0.0.1>\r\nCall-ID', '127.0.0.1>;tag=9\r\nCall-ID'),
    'SIP/2.0 200 OK\r\nVia: SIP/2.0/UDP 127.0.0.1;branch=z9hG4bK1\r\nCSeq: 1 INVITE\r\n\r\n',
    'SIP/2.0 999 Odd\r\nVia: x\r\n\r\n',
  ];
  for (const text of nonsense) (await sendText(text, callee.port)).close();
  const caller = await startTrunk({ peer_port: callee.port });
  const call = await caller.call();
  assert.ok(await call.media());
  assert.ok(callee.stats().sip_unreadable >= 5, JSON.stringify(callee.stats()));
  await stopAll(caller, callee);
});

test('an invalid number is refused before anything is sent', async () => {
  const trunk = await startTrunk({ peer_port: 9 });
  for (const to of ['', 'abc', '+1500 555', '+1500\r\nX: y', 'a@b', '+1'.repeat(40)]) {
    const result = await trunk.dial(
      { to, from: '+15005550001', ring_timeout_ms: 1000, max_duration_ms: 1000 },
      () => {},
    );
    assert.equal(result.outcome, 'refused', to);
  }
  assert.equal(trunk.stats().sip_sent, 0);
  await stopAll(trunk);
});

// ---- a trunk that does not respond

test('a trunk without a response fails the call as a trunk failure, not as a ring timeout', async () => {
  const silent = createSocket('udp4');
  await new Promise<void>((resolve) => silent.bind(0, '127.0.0.1', resolve));
  const trunk = await startTrunk({ peer_port: silent.address().port, t1_ms: 20 });
  const by_timer = await (await trunk.call()).ended();
  assert.deepEqual(
    [by_timer.trigger, by_timer.end_reason, by_timer.sip_status],
    ['broke', 'trunk_failure', null],
  );
  const by_ring_timeout = await (await trunk.call({ ring_timeout_ms: 100 })).ended();
  assert.deepEqual([by_ring_timeout.trigger, by_ring_timeout.end_reason], ['broke', 'trunk_failure']);
  await stopAll(trunk);
  silent.close();
});

test('a failed connection fails the call as a trunk failure', async () => {
  const trunk = await startTrunk({ peer_port: 9, transport: 'tcp' });
  const end = await (await trunk.call()).ended();
  assert.deepEqual([end.trigger, end.end_reason], ['broke', 'trunk_failure']);
  await stopAll(trunk);
});

test('health is down while the trunk does not respond, and up when it does', async () => {
  const said: string[] = [];
  const log = {
    info: (_: object, text: string) => said.push(text),
    warn: (_: object, text: string) => said.push(text),
  };
  const peer = await startTrunk({ peer_port: 9 });
  const trunk = await startTrunk({ peer_port: peer.port, t1_ms: 20 }, { log });
  assert.equal(trunk.health().state, 'unknown');
  assert.equal((await trunk.checkHealth())?.state, 'up');
  await peer.stop();
  assert.equal((await trunk.checkHealth())?.state, 'down');
  assert.deepEqual(
    said.filter((text) => text.includes('trunk')),
    ['SIP trunk responds', 'SIP trunk does not respond'],
  );
  await stopAll(trunk);
});

// ---- settings

test('Via, Contact and session description contain the public address', async () => {
  const peer = createSocket('udp4');
  await new Promise<void>((resolve) => peer.bind(0, '127.0.0.1', resolve));
  const trunk = await startTrunk({
    peer_port: peer.address().port,
    public_address: '203.0.113.9',
    from_domain: 'voice.example',
  });
  const received = once(peer, 'message') as Promise<[Buffer]>;
  const call = await trunk.call({ ring_timeout_ms: 200 });
  const invite = String((await received)[0]);
  assert.match(invite, new RegExp(`^Via: SIP/2.0/UDP 203.0.113.9:${trunk.port};branch=[^;]+;rport\r$`, 'm'));
  assert.match(invite, new RegExp(`^Contact: <sip:parley@203.0.113.9:${trunk.port}>\r$`, 'm'));
  assert.match(invite, /^c=IN IP4 203\.0\.113\.9\r$/m);
  assert.match(invite, /^From: <sip:\+15005550001@voice\.example>;tag=/m);
  assert.match(invite, /^Allow: INVITE, ACK, CANCEL, BYE, OPTIONS, UPDATE\r$/m);
  await call.ended();
  await stopAll(trunk);
  peer.close();
});

test('audio uses even ports of the range, and a call without a free port is busy', async () => {
  const inbound = answerCalls();
  const callee = await startTrunk({ peer_port: 9 }, inbound);
  const rtp_ports = { first: 42_001, last: 42_005 };
  const caller = await startTrunk({ peer_port: callee.port, rtp_ports });
  await caller.call();
  await caller.call();
  await assert.rejects(caller.call(), /no RTP port is free/);
  await stopAll(caller, callee);
});

test('more calls than allowed are not placed', async () => {
  const inbound = answerCalls();
  const callee = await startTrunk({ peer_port: 9 }, inbound);
  const caller = await startTrunk({ peer_port: callee.port, max_calls: 1 });
  // Also when both are placed at the same moment.
  const [placed, refused] = await Promise.allSettled([caller.call(), caller.call()]);
  assert.ok(placed.status === 'fulfilled' && refused.status === 'rejected');
  assert.match(String(refused.reason), /maximum number of calls/);
  const call = placed.value;
  await assert.rejects(caller.call(), /maximum number of calls/);
  await call.media();
  call.hangUp('api_hangup');
  await (await caller.call()).media();
  await stopAll(caller, callee);
});

// ---- TLS

const openssl_is_missing =
  spawnSync('openssl', ['version']).status === 0 ? false : 'openssl is not installed';

test('a TLS call is placed to a host whose certificate matches, and to no other', {
  skip: openssl_is_missing,
}, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'parley-tls-'));
  const [key_file, cert_file] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  spawnSync('openssl', [
    ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '1'],
    ...[
      '-subj',
      '/CN=trunk.test',
      '-addext',
      'subjectAltName=DNS:trunk.test',
      '-keyout',
      key_file,
      '-out',
      cert_file,
    ],
  ]);
  const tls_files = { cert: readFileSync(cert_file), key: readFileSync(key_file) };
  rmSync(folder, { recursive: true });
  const resolver = { lookup: async () => [{ address: '127.0.0.1' }], resolveSrv: async () => [] };
  const callee = await startTrunk({ peer_port: 9, transport: 'tls', tls_files }, answerCalls());
  const trunk = (host: string) => ({ host, port: callee.port });
  const trusting = { peer_port: 9, transport: 'tls' as const, tls_ca: tls_files.cert };

  const right = await startTrunk({ ...trusting, trunk: trunk('trunk.test') }, { resolver });
  const call = await right.call();
  assert.ok(await call.media(), JSON.stringify(call.events));
  call.hangUp('api_hangup');
  await until(() => callee.stats().calls === 0);

  const wrong = await startTrunk({ ...trusting, trunk: trunk('other.test') }, { resolver });
  assert.equal((await (await wrong.call()).ended()).end_reason, 'trunk_failure');
  const unknown = await startTrunk({ ...trusting, tls_ca: null, trunk: trunk('trunk.test') }, { resolver });
  assert.equal((await (await unknown.call()).ended()).end_reason, 'trunk_failure');
  await stopAll(right, wrong, unknown, callee);
});
