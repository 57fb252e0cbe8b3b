// What a trunk does beside the outcome of single calls: inbound, strangers, health, ports, repeated offers, TLS.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import type { CallNews, SipCall } from './call.ts';
import type { InboundDecision, InboundOffer } from './inbound-call.ts';
import type { SipTrunkOptions } from './options.ts';
import { readPacket, startPacket } from './rtp/packet.ts';
import { sipp_is_missing, startSipp, step } from './testing/sipp.ts';
import { startTrunk } from './testing/trunk.ts';

type Trunk = Awaited<ReturnType<typeof startTrunk>>;

/** A trunk that takes calls, and what it was told about them. */
function answering(decide: (offer: InboundOffer) => Partial<InboundDecision> = () => ({})) {
  const offers: InboundOffer[] = [];
  const news: CallNews[] = [];
  const taken = Promise.withResolvers<SipCall>();
  return {
    offers,
    news,
    taken: taken.promise,
    decideInbound: async (offer: InboundOffer): Promise<InboundDecision> => {
      offers.push(offer);
      return {
        answer: true,
        max_duration_ms: 60_000,
        emit: (item: CallNews) => news.push(item),
        taken: taken.resolve,
        ...decide(offer),
      } as InboundDecision;
    },
  };
}

const until = async (reached: () => boolean) => {
  while (!reached()) await new Promise((resolve) => setTimeout(resolve, 5));
};

/** One after the other: the second is still there to answer the farewell of the first. */
async function stopAll(...trunks: Trunk[]): Promise<void> {
  for (const trunk of trunks) await trunk.stop();
}

// ---- inbound

for (const transport of ['udp', 'tcp'] as const) {
  test(`${transport}: a call to us is answered, and the caller hangs up`, {
    skip: sipp_is_missing,
  }, async () => {
    const door = answering();
    const trunk = await startTrunk({ peer_port: 9, transport }, door);
    const caller = await startSipp({
      transport,
      remote: { port: trunk.port, number: '+15005550100' },
      steps: [
        step.call(),
        step.expect(100, { optional: true }),
        step.expect(200),
        step.request('ACK', '1 ACK'),
        step.pause(200),
        step.request('BYE', '2 BYE', { retrans: true }),
        step.expect(200),
      ],
    });
    try {
      const { code, errors } = await caller.done;
      assert.equal(code, 0, errors);
      assert.deepEqual(
        door.offers.map(({ from, to }) => [from, to]),
        [['+15005550001', '+15005550100']],
      );
      assert.deepEqual(
        door.news.map((item) => ('end_reason' in item ? item.end_reason : item.trigger)),
        ['answered', 'callee_hangup'],
      );
      assert.equal(trunk.stats().calls, 0);
    } finally {
      await stopAll(trunk);
    }
  });

  test(`${transport}: a call that is not wanted is declined`, { skip: sipp_is_missing }, async () => {
    const trunk = await startTrunk({ peer_port: 9, transport });
    const caller = await startSipp({
      transport,
      remote: { port: trunk.port, number: '+15005550100' },
      steps: [
        step.call(),
        step.expect(100, { optional: true }),
        step.expect(603),
        step.request('ACK', '1 ACK'),
      ],
    });
    try {
      const { code, errors } = await caller.done;
      assert.equal(code, 0, errors);
    } finally {
      await stopAll(trunk);
    }
  });
}

test('the number that a caller wants may be refused by its own status', async () => {
  const callee = await startTrunk(
    { peer_port: 9 },
    answering(() => ({ answer: false, status: 404 })),
  );
  const caller = await startTrunk({ peer_port: callee.port });
  const call = await caller.call();
  assert.equal((await call.ended()).sip_status, 404);
  await stopAll(caller, callee);
});

test('a decision that fails declines the call and leaves nothing behind', async () => {
  const callee = await startTrunk(
    { peer_port: 9 },
    {
      decideInbound: async () => {
        throw new Error('database away');
      },
    },
  );
  const caller = await startTrunk({ peer_port: callee.port });
  const call = await caller.call();
  assert.deepEqual([(await call.ended()).sip_status, callee.stats().calls], [500, 0]);
  await stopAll(caller, callee);
});

test('a caller who gives up while we decide is let go', async () => {
  const asked = Promise.withResolvers<void>();
  const decided = Promise.withResolvers<InboundDecision>();
  const callee = await startTrunk(
    { peer_port: 9 },
    {
      decideInbound: () => {
        asked.resolve();
        return decided.promise;
      },
    },
  );
  const caller = await startTrunk({ peer_port: callee.port });
  const call = await caller.call();
  await asked.promise;
  await until(() => caller.stats().sip_received > 0);
  call.hangUp('canceled');
  assert.deepEqual([(await call.ended()).trigger, (await call.ended()).sip_status], ['canceled', 487]);
  let was_taken = false;
  decided.resolve({ answer: true, max_duration_ms: 1000, emit() {}, taken: () => (was_taken = true) });
  await new Promise(setImmediate);
  assert.deepEqual([was_taken, callee.stats().calls], [false, 0]);
  await stopAll(caller, callee);
});

test('the called side can hang up at once, though the caller’s ACK is still on its way', async () => {
  const door = answering();
  const callee = await startTrunk({ peer_port: 9 }, door);
  const caller = await startTrunk({ peer_port: callee.port });
  const call = await caller.call();
  (await door.taken).hangUp('agent_hangup');
  assert.equal((await call.ended()).end_reason, 'callee_hangup');
  await stopAll(caller, callee);
});

// ---- strangers and nonsense

function sendText(text: string, port: number): Promise<Socket> {
  const socket = createSocket('udp4');
  return new Promise((resolve) =>
    socket.bind(0, '127.0.0.1', () => socket.send(text, port, '127.0.0.1', () => resolve(socket))),
  );
}

const request = (method: string, more: string[] = []) =>
  [
    `${method} sip:+15005550100@127.0.0.1 SIP/2.0`,
    'Via: SIP/2.0/UDP 127.0.0.1:9;branch=z9hG4bK-stranger;rport',
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

test('a request from a stranger is dropped without an answer, and counted', async () => {
  const door = answering();
  // The trunk's host has another address than the stranger's.
  const trunk = await startTrunk(
    { peer_port: 9, trunk: { host: 'trunk.test', port: 9 } },
    { ...door, resolver: { lookup: async () => [{ address: '127.0.0.2' }], resolveSrv: async () => [] } },
  );
  let answers = 0;
  const stranger = await sendText(request('INVITE'), trunk.port);
  stranger.on('message', () => answers++);
  await until(() => trunk.stats().sip_strangers_dropped === 1);
  assert.deepEqual([answers, door.offers.length], [0, 0]);
  stranger.close();
  await stopAll(trunk);
});

test('a network that was named as trusted may call', async () => {
  const door = answering();
  const callee = await startTrunk(
    {
      peer_port: 9,
      trunk: { host: 'trunk.test', port: 9 },
      trusted_sources: [{ address: '127.0.0.0', prefix: 8 }],
    },
    { ...door, resolver: { lookup: async () => [{ address: '127.0.0.2' }], resolveSrv: async () => [] } },
  );
  const caller = await startTrunk({ peer_port: callee.port });
  const call = await caller.call();
  assert.ok(await call.media());
  await stopAll(caller, callee);
});

test('OPTIONS of the trunk is answered, and our Allow has no UPDATE', async () => {
  const trunk = await startTrunk({ peer_port: 9 });
  const asker = await sendText(request('OPTIONS'), trunk.port);
  const [answer] = (await once(asker, 'message')) as [Buffer];
  assert.match(String(answer), /^SIP\/2\.0 200 OK\r\n/);
  assert.match(String(answer), /^Allow: INVITE,ACK,CANCEL,BYE,OPTIONS\r$/m);
  asker.send(request('UPDATE').replace('z9hG4bK-stranger', 'z9hG4bK-2'), trunk.port, '127.0.0.1');
  const [refusal] = (await once(asker, 'message')) as [Buffer];
  assert.match(String(refusal), /^SIP\/2\.0 405 /);
  asker.close();
  await stopAll(trunk);
});

test('nonsense is counted and hurts nobody', async () => {
  const door = answering();
  const callee = await startTrunk({ peer_port: 9 }, door);
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

test('a number that is none is refused before anything is sent', async () => {
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

// ---- a trunk that is not there

test('silence of the trunk fails the call as its failure, not as nobody answering', async () => {
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

test('a connection that cannot be made fails the call as the trunk’s failure', async () => {
  const trunk = await startTrunk({ peer_port: 9, transport: 'tcp' });
  const end = await (await trunk.call()).ended();
  assert.deepEqual([end.trigger, end.end_reason], ['broke', 'trunk_failure']);
  await stopAll(trunk);
});

test('health follows the trunk: down while it is silent, up when it answers', async () => {
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
    ['the SIP trunk answers', 'the SIP trunk does not answer'],
  );
  await stopAll(trunk);
});

// ---- settings

test('Via, Contact and session description carry the public address', async () => {
  const peer = createSocket('udp4');
  await new Promise<void>((resolve) => peer.bind(0, '127.0.0.1', resolve));
  const trunk = await startTrunk({
    peer_port: peer.address().port,
    public_address: '203.0.113.9',
    from_domain: 'voice.example',
  });
  const asked = once(peer, 'message') as Promise<[Buffer]>;
  const call = await trunk.call({ ring_timeout_ms: 200 });
  const invite = String((await asked)[0]);
  assert.match(invite, new RegExp(`^Via: SIP/2.0/UDP 203.0.113.9:${trunk.port};branch=[^;]+;rport\r$`, 'm'));
  assert.match(invite, new RegExp(`^Contact: <sip:parley@203.0.113.9:${trunk.port}>\r$`, 'm'));
  assert.match(invite, /^c=IN IP4 203\.0\.113\.9\r$/m);
  assert.match(invite, /^From: <sip:\+15005550001@voice\.example>;tag=/m);
  assert.doesNotMatch(invite, /UPDATE/);
  await call.ended();
  await stopAll(trunk);
  peer.close();
});

test('audio takes even ports of the range, and a call without a free one waits', async () => {
  const door = answering();
  const callee = await startTrunk({ peer_port: 9 }, door);
  const rtp_ports = { first: 42_001, last: 42_005 };
  const caller = await startTrunk({ peer_port: callee.port, rtp_ports });
  await caller.call();
  await caller.call();
  await assert.rejects(caller.call(), /no RTP port is free/);
  await stopAll(caller, callee);
});

test('more calls than allowed are not placed', async () => {
  const door = answering();
  const callee = await startTrunk({ peer_port: 9 }, door);
  const caller = await startTrunk({ peer_port: callee.port, most_calls: 1 });
  const call = await caller.call();
  await assert.rejects(caller.call(), /as many calls as allowed/);
  await call.media();
  call.hangUp('api_hangup');
  await (await caller.call()).media();
  await stopAll(caller, callee);
});

// ---- in the call

/** A peer that speaks SIP by hand, so that it can say what no well-behaved one would. */
async function handMadePeer(options: Partial<SipTrunkOptions> = {}) {
  const sip = createSocket('udp4');
  const rtp = createSocket('udp4');
  await Promise.all(
    [sip, rtp].map((s) => new Promise<void>((resolve) => s.bind(0, '127.0.0.1', () => resolve()))),
  );
  const trunk = await startTrunk({ peer_port: sip.address().port, ...options });
  const [call, [bytes]] = await Promise.all([trunk.call(), once(sip, 'message') as Promise<[Buffer]>]);
  const invite = String(bytes);
  const line = (name: string) => new RegExp(`^${name}: (.*)\r$`, 'im').exec(invite)![1]!;
  const our_rtp = Number(/^m=audio (\d+)/m.exec(invite)![1]);
  const body = (port: number, direction = 'sendrecv') =>
    `v=0\r\no=- 1 1 IN IP4 127.0.0.1\r\ns=-\r\nc=IN IP4 127.0.0.1\r\nt=0 0\r\nm=audio ${port} RTP/AVP 0 101\r\na=rtpmap:101 telephone-event/8000\r\na=${direction}\r\n`;
  const say = (text: string) => sip.send(text, trunk.port, '127.0.0.1');
  const answer = body(rtp.address().port);
  say(
    `SIP/2.0 200 OK\r\nVia: ${line('Via')}\r\nFrom: ${line('From')}\r\nTo: ${line('To')};tag=hand\r\nCall-ID: ${call.id}\r\nCSeq: ${line('CSeq')}\r\nContact: <sip:hand@127.0.0.1:${sip.address().port}>\r\nContent-Type: application/sdp\r\nContent-Length: ${answer.length}\r\n\r\n${answer}`,
  );
  const media = (await call.media())!;
  const inCall = (method: string, cseq: number, sdp = '') =>
    say(
      `${method} sip:parley@127.0.0.1:${trunk.port} SIP/2.0\r\nVia: SIP/2.0/UDP 127.0.0.1:${sip.address().port};branch=z9hG4bKhand${cseq}${method};rport\r\nFrom: ${line('To')};tag=hand\r\nTo: ${line('From')}\r\nCall-ID: ${call.id}\r\nCSeq: ${cseq} ${method}\r\nContact: <sip:hand@127.0.0.1:${sip.address().port}>\r\nContent-Type: application/sdp\r\nContent-Length: ${sdp.length}\r\n\r\n${sdp}`,
    );
  const packet = (sequence: number, loudness: number) => {
    const head = { payload_type: 0, marker: false, sequence, timestamp: sequence * 160, ssrc: 1 };
    return startPacket(head, 160).fill(loudness, 12);
  };
  return {
    ...{ trunk, call, media, sip, rtp, our_rtp, body, inCall, packet },
    stats: () => trunk.rtpStats(call.id)!,
    async done() {
      sip.on('message', (message) => {
        const text = String(message);
        if (text.startsWith('BYE ')) say(text.replace(/^BYE .*\r$/m, 'SIP/2.0 200 OK\r'));
      });
      await trunk.stop();
      sip.close();
      rtp.close();
    },
  };
}

const loud = 0x00;

test('the stream is locked to the first port of the negotiated host, and others are not heard', async () => {
  const peer = await handMadePeer();
  const [other_host, other_port] = [createSocket('udp4'), createSocket('udp4')];
  await new Promise<void>((resolve) => other_host.bind(0, '127.0.0.2', resolve));
  await new Promise<void>((resolve) => other_port.bind(0, '127.0.0.1', resolve));
  let heard_loud = false;
  peer.media.onFrame((pcm) => {
    heard_loud ||= Math.min(...pcm) < -20_000;
  });
  // Another host, before the lock: dropped and counted, and the lock stays open.
  other_host.send(peer.packet(1, loud), peer.our_rtp, '127.0.0.1');
  await until(() => peer.stats().strangers_dropped === 1);
  // The negotiated host locks it, from whatever port.
  other_port.send(peer.packet(1, 0xff), peer.our_rtp, '127.0.0.1');
  await until(() => peer.stats().packets_received === 1);
  const [sent_back] = (await once(other_port, 'message')) as [Buffer];
  assert.equal(readPacket(sent_back)?.payload_type, 0);
  // Once locked, not even the port that was negotiated is heard, nor another host.
  peer.rtp.send(peer.packet(2, loud), peer.our_rtp, '127.0.0.1');
  other_host.send(peer.packet(3, loud), peer.our_rtp, '127.0.0.1');
  for (let sequence = 2; sequence < 12; sequence++) {
    other_port.send(peer.packet(sequence, 0xff), peer.our_rtp, '127.0.0.1');
  }
  await until(() => peer.stats().packets_received === 11);
  assert.equal(heard_loud, false);
  await peer.done();
  other_host.close();
  other_port.close();
});

test('packets that are no audio of ours are dropped and counted', async () => {
  const peer = await handMadePeer();
  for (const bytes of [
    Buffer.from('junk'),
    Buffer.alloc(0),
    startPacket({ ...readPacket(peer.packet(1, 0))!, payload_type: 99 }, 160),
  ]) {
    peer.rtp.send(bytes, peer.our_rtp, '127.0.0.1');
  }
  await until(() => peer.stats().malformed_dropped === 3);
  assert.equal(peer.stats().packets_received, 0);
  await peer.done();
});

test('a hold and a refresh are answered, and a stream that moves is followed', async () => {
  const peer = await handMadePeer();
  const answerTo = async (cseq: number) => {
    for (;;) {
      const [bytes] = (await once(peer.sip, 'message')) as [Buffer];
      if (String(bytes).includes(`CSeq: ${cseq} INVITE`) && !/^SIP\/2\.0 1/.test(String(bytes)))
        return String(bytes);
    }
  };
  const held = answerTo(10);
  peer.inCall('INVITE', 10, peer.body(peer.rtp.address().port, 'sendonly'));
  const hold = await held;
  assert.match(hold, /^SIP\/2\.0 200 OK[\s\S]*^a=recvonly\r$/m);
  assert.match(hold, /^Contact: /m);
  peer.inCall('ACK', 10);

  const moved = createSocket('udp4');
  await new Promise<void>((resolve) => moved.bind(0, '127.0.0.1', resolve));
  const resumed = answerTo(11);
  peer.inCall('INVITE', 11, peer.body(moved.address().port));
  assert.match(await resumed, /^SIP\/2\.0 200 OK[\s\S]*^a=sendrecv\r$/m);
  peer.inCall('ACK', 11);
  const [bytes] = (await once(moved, 'message')) as [Buffer];
  assert.equal(readPacket(bytes)?.payload.length, 160);

  const refused = answerTo(12);
  peer.inCall('INVITE', 12, peer.body(1).replace('RTP/AVP 0 101', 'RTP/AVP 18'));
  assert.match(await refused, /^SIP\/2\.0 488 /);
  assert.equal(peer.trunk.state(peer.call.id), 'live');
  moved.close();
  await peer.done();
});

test('a stream that falls silent ends the call as a media failure, and the other side is told', async () => {
  const peer = await handMadePeer({ rtp_timeout_ms: 300 });
  peer.rtp.send(peer.packet(1, 0xff), peer.our_rtp, '127.0.0.1');
  const end = await peer.call.ended();
  assert.deepEqual([end.trigger, end.end_reason], ['broke', 'media_failure']);
  assert.deepEqual(await peer.media.closed, { by: 'failure', detail: 'no RTP for 300 ms' });
  const [bye] = (await once(peer.sip, 'message')) as [Buffer];
  assert.match(String(bye), /^BYE /);
  await peer.done();
});

test('closing the stream hangs the call up', async () => {
  const door = answering();
  const callee = await startTrunk({ peer_port: 9 }, door);
  const caller = await startTrunk({ peer_port: callee.port });
  const call = await caller.call();
  (await call.media())!.close();
  assert.equal((await call.ended()).end_reason, 'agent_hangup');
  await until(() => callee.stats().calls === 0);
  await stopAll(caller, callee);
});

test('stopping the trunk ends its calls, and the other side learns of it', async () => {
  const door = answering();
  const callee = await startTrunk({ peer_port: 9 }, door);
  const caller = await startTrunk({ peer_port: callee.port });
  const call = await caller.call();
  await call.media();
  await door.taken;
  await caller.stop();
  assert.deepEqual(
    [(await call.ended()).trigger, (await call.ended()).end_reason],
    ['broke', 'force_closed'],
  );
  await until(() => door.news.some((item) => 'end_reason' in item));
  await callee.stop();
});

// ---- TLS

const openssl_is_missing =
  spawnSync('openssl', ['version']).status === 0 ? false : 'openssl is not installed';

test('over TLS a call is made to a host whose certificate fits, and to no other', {
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
  const callee = await startTrunk({ peer_port: 9, transport: 'tls', tls_files }, answering());
  const trunk = (host: string) => ({ host, port: callee.port });
  const trusting = { peer_port: 9, transport: 'tls' as const, tls_ca: tls_files.cert };

  const right = await startTrunk({ ...trusting, trunk: trunk('trunk.test') }, { resolver });
  const call = await right.call();
  assert.ok(await call.media(), JSON.stringify(call.news));
  call.hangUp('api_hangup');
  await until(() => callee.stats().calls === 0);

  const wrong = await startTrunk({ ...trusting, trunk: trunk('other.test') }, { resolver });
  assert.equal((await (await wrong.call()).ended()).end_reason, 'trunk_failure');
  const unknown = await startTrunk({ ...trusting, tls_ca: null, trunk: trunk('trunk.test') }, { resolver });
  assert.equal((await (await unknown.call()).ended()).end_reason, 'trunk_failure');
  await stopAll(right, wrong, unknown, callee);
});
