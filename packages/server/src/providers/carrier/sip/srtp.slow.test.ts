// Encrypted audio (SDES-SRTP): against a peer with its own arithmetic, between two trunks, and what is refused.
import assert from 'node:assert/strict';
import { createCipheriv, createHmac, randomBytes } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { test } from 'node:test';
import fc from 'fast-check';
import { readCryptoLine, type SrtpMode } from './crypto-lines.ts';
import { emptyPacket, readPacket, startPacket } from './rtp/packet.ts';
import { type SrtpSuite, srtpReceiver, srtpSender } from './rtp/srtp.ts';
import { answerCalls, stopAll, until } from './testing/answer-calls.ts';
import { startTrunk } from './testing/trunk.ts';
import { type Message, peerSdp, tagOf, type UdpPeer, udpPeer } from './testing/udp-peer.ts';

/** RFC 3711 as it is written, with a cipher per packet: encrypts and decrypts, and appends the tag. */
function reference(master: Buffer, packet: Buffer, roll_overs: number, tag_bytes: number): Buffer {
  const derive = (label: number, length: number) => {
    const x = BigInt(`0x${master.subarray(16).toString('hex')}`) ^ (BigInt(label) << 48n);
    const iv = Buffer.from((x << 16n).toString(16).padStart(32, '0'), 'hex');
    return createCipheriv('aes-128-ctr', master.subarray(0, 16), iv).update(Buffer.alloc(length));
  };
  const [key, auth, salt] = [derive(0, 16), derive(1, 20), derive(2, 14)];
  const index = (BigInt(roll_overs) << 16n) | BigInt(packet.readUInt16BE(2));
  const iv =
    (BigInt(`0x${salt.toString('hex')}`) << 16n) ^ (BigInt(packet.readUInt32BE(8)) << 64n) ^ (index << 16n);
  const cipher = createCipheriv('aes-128-ctr', key, Buffer.from(iv.toString(16).padStart(32, '0'), 'hex'));
  const body = Buffer.concat([packet.subarray(0, 12), cipher.update(packet.subarray(12))]);
  const counter = Buffer.alloc(4);
  counter.writeUInt32BE(roll_overs);
  const tag = createHmac('sha1', auth).update(body).update(counter).digest();
  return Buffer.concat([body, tag.subarray(0, tag_bytes)]);
}

const plainPacket = (sequence: number, ssrc = 7, loudness = 0x55) => {
  const head = { payload_type: 0, marker: false, sequence, timestamp: sequence * 160, ssrc };
  return startPacket(head, emptyPacket(160)).fill(loudness, 12);
};

const suites: [SrtpSuite, number][] = [
  ['AES_CM_128_HMAC_SHA1_80', 10],
  ['AES_CM_128_HMAC_SHA1_32', 4],
];

for (const [suite, tag_bytes] of suites) {
  test(`F5: ${suite}: every packet is what RFC 3711 says, across a roll-over`, () => {
    const key = randomBytes(30);
    const [sender, receiver] = [srtpSender(suite, key), srtpReceiver(suite, key)];
    for (const [sequence, roll_overs] of [
      [65_533, 0],
      [65_534, 0],
      [65_535, 0],
      [0, 1],
      [1, 1],
    ] as const) {
      const plain = plainPacket(sequence);
      const packet = sender.protect(plain);
      assert.deepEqual(packet, reference(key, plain, roll_overs, tag_bytes));
      assert.deepEqual(receiver.unprotect(packet), plain);
    }
  });

  test(`F5: ${suite}: forged, repeated and old packets are refused; late ones of the window are not`, () => {
    const key = randomBytes(30);
    const [sender, receiver] = [srtpSender(suite, key), srtpReceiver(suite, key)];
    const packets = Array.from({ length: 200 }, (_, sequence) => sender.protect(plainPacket(sequence)));
    const read = (index: number) => receiver.unprotect(Buffer.from(packets[index]!));
    for (const index of [0, 1, 3, 2, 150, 149, 100]) assert.ok(read(index), String(index));
    for (const index of [0, 1, 150, 100, 86, 5]) assert.equal(read(index), null, String(index));
    for (let at = 0; at < packets[151]!.length; at += 7) {
      const forged = Buffer.from(packets[151]!);
      forged[at] = forged[at]! ^ 1;
      assert.equal(receiver.unprotect(forged), null, `byte ${at}`);
    }
    assert.ok(read(151));
    // A new source of the same key begins; the packets of the first still cannot be repeated.
    assert.ok(receiver.unprotect(srtpSender(suite, key).protect(plainPacket(5, 8))));
    assert.equal(read(151), null);
    assert.equal(receiver.unprotect(srtpSender(suite, randomBytes(30)).protect(plainPacket(6, 9))), null);
  });
}

test('F5: no bytes make the receiver throw', () => {
  const receiver = srtpReceiver('AES_CM_128_HMAC_SHA1_32', randomBytes(30));
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 60 }), (bytes) => {
      assert.equal(receiver.unprotect(Buffer.from(bytes)), null);
    }),
  );
});

test('F5: a key line with parts that we do not have is passed over', () => {
  const key = Buffer.alloc(30, 1).toString('base64');
  const good = `a=crypto:3 AES_CM_128_HMAC_SHA1_32 inline:${key}|2^31`;
  const bad = [
    `a=crypto:1 AES_256_CM_HMAC_SHA1_80 inline:${key}`,
    `a=crypto:1 AES_CM_128_HMAC_SHA1_80 inline:${key}|2^31|1:4`,
    `a=crypto:1 AES_CM_128_HMAC_SHA1_80 inline:${key} UNENCRYPTED_SRTP`,
    `a=crypto:1 AES_CM_128_HMAC_SHA1_80 inline:${key} KDR=1`,
    `a=crypto:1 AES_CM_128_HMAC_SHA1_80 inline:${key.slice(4)}`,
    `a=crypto:1 toString inline:${key}`,
  ];
  for (const line of bad) assert.equal(readCryptoLine([line]), null, line);
  assert.deepEqual(readCryptoLine([...bad, good]), {
    ...{ tag: 3, suite: 'AES_CM_128_HMAC_SHA1_32', key: Buffer.alloc(30, 1) },
  });
});

const ourKey = (text: string, tag: number) => {
  const line = new RegExp(`^a=crypto:${tag} (\\S+) inline:(\\S+)\\r$`, 'm').exec(text)!;
  return { suite: line[1], key: Buffer.from(line[2]!, 'base64') };
};

const secureSdp = (port: number, tag: number, suite: string, key: Buffer) =>
  peerSdp(port, [`a=crypto:${tag} ${suite} inline:${key.toString('base64')}`]).replace('RTP/AVP', 'RTP/SAVP');

test('F5: an encrypted call of ours is understood, and packets without the right key are dropped', async () => {
  const audio = createSocket('udp4');
  await new Promise<void>((resolve) => audio.bind(0, '127.0.0.1', resolve));
  const their_key = randomBytes(30);
  let offer = '';
  const peer: UdpPeer = await udpPeer((message) => {
    if (message.method === 'BYE') peer.reply(message, '200 OK', { to_port: trunk.port });
    if (message.method !== 'INVITE') return;
    offer = message.body;
    const body = secureSdp(audio.address().port, 2, 'AES_CM_128_HMAC_SHA1_32', their_key);
    peer.reply(message, '200 OK', { body, to_port: trunk.port });
  });
  const trunk = await startTrunk({ peer_port: peer.port, srtp: 'required' });
  const call = await trunk.call();
  const media = (await call.media())!;
  const heard = Promise.withResolvers<void>();
  media.onFrame((pcm) => {
    if (Math.min(...pcm) < -20_000) heard.resolve();
  });
  assert.match(offer, /^m=audio \d+ RTP\/SAVP /m);
  const ours = ourKey(offer, 2);
  assert.equal(ours.suite, 'AES_CM_128_HMAC_SHA1_32');
  assert.notDeepEqual(ourKey(offer, 1).key, ours.key);

  const [bytes] = (await once(audio, 'message')) as [Buffer];
  const plain = srtpReceiver('AES_CM_128_HMAC_SHA1_32', ours.key).unprotect(Buffer.from(bytes))!;
  assert.deepEqual(bytes, reference(ours.key, plain, 0, 4));
  assert.equal(readPacket(plain)?.payload_type, 0);

  const our_rtp = Number(/^m=audio (\d+)/m.exec(offer)![1]);
  const say = (packet: Buffer) => audio.send(packet, our_rtp, '127.0.0.1');
  // Plain audio of the right address does not even lock the stream.
  say(plainPacket(1));
  say(reference(randomBytes(30), plainPacket(2), 0, 4));
  await until(() => trunk.rtpStats(call.id)!.unauthentic_dropped === 2);
  assert.equal(trunk.rtpStats(call.id)!.packets_received, 0);
  for (let sequence = 3; sequence < 13; sequence++) {
    say(reference(their_key, plainPacket(sequence, 7, 0x00), 0, 4));
  }
  await heard.promise;
  call.hangUp('api_hangup');
  await trunk.stop();
  audio.close();
});

test('F5: two trunks talk encrypted, keys of the phone pass, and a refresh does not disturb the stream', async () => {
  const inbound = answerCalls();
  const session_limits = { expires_s: 12, min_s: 1 };
  const callee = await startTrunk({ peer_port: 9, srtp: 'required', session_limits }, inbound);
  const caller = await startTrunk({ peer_port: callee.port, srtp: 'optional', session_limits });
  const call = await caller.call();
  const [near, far] = [(await call.media())!, (await (await inbound.accepted).media)!];
  const digits: string[] = [];
  far.onDigit((digit) => digits.push(digit));
  await near.sendDigits('15');
  await until(() => digits.join('') === '15');
  // After a refresh the same keys and counters go on.
  const sent_before = caller.stats().sip_sent;
  await until(() => caller.stats().sip_sent > sent_before + 1);
  await near.sendDigits('9');
  await until(() => digits.join('') === '159');
  assert.equal(caller.rtpStats(call.id)!.unauthentic_dropped, 0);
  call.hangUp('api_hangup');
  await stopAll(caller, callee);
});

test('F5: an optional encryption that the other side has not is given up, a required one ends the call', async () => {
  const callee = await startTrunk({ peer_port: 9, srtp: 'off' }, answerCalls());
  const optional = await startTrunk({ peer_port: callee.port, srtp: 'optional' });
  const call = await optional.call();
  assert.ok(await call.media());
  assert.equal(call.history(), 'dialed > answered');
  call.hangUp('api_hangup');
  const required = await startTrunk({ peer_port: callee.port, srtp: 'required' });
  const end = await (await required.call()).ended();
  assert.deepEqual([end.end_reason, end.sip_status], ['media_failure', 488]);
  await stopAll(optional, required, callee);
});

test('F5: an encrypted offer that is answered plainly ends the call', async () => {
  const peer: UdpPeer = await udpPeer((message) => {
    if (message.method === 'BYE') peer.reply(message, '200 OK', { to_port: trunk.port });
    if (message.method === 'INVITE') {
      peer.reply(message, '200 OK', { body: peerSdp(5000), to_port: trunk.port });
    }
  });
  const trunk = await startTrunk({ peer_port: peer.port, srtp: 'optional' });
  const end = await (await trunk.call()).ended();
  assert.equal(end.end_reason, 'media_failure');
  await trunk.stop();
});

for (const [srtp, secure, status] of [
  ['off', true, 488],
  ['off', false, 200],
  ['optional', true, 200],
  ['optional', false, 200],
  ['required', true, 200],
  ['required', false, 488],
] satisfies [SrtpMode, boolean, number][]) {
  test(`F5: with encryption ${srtp}, an offer ${secure ? 'with' : 'without'} it gets ${status}`, async () => {
    const peer = await udpPeer();
    const trunk = await startTrunk({ peer_port: peer.port, srtp }, answerCalls());
    const leg = { to_port: trunk.port, call_id: 'offered' };
    const suite = 'AES_CM_128_HMAC_SHA1_80';
    const secured = secureSdp(5000, 4, suite, randomBytes(30));
    peer.request('INVITE', { ...leg, cseq: 1, body: secure ? secured : peerSdp(5000) });
    const final = ({ status: answered, header }: Message) =>
      (answered ?? 0) >= 200 && header('CSeq').startsWith('1 ');
    const answer = await peer.message('the answer', final);
    assert.equal(answer.status, status);
    if (status === 200) {
      assert.equal(/RTP\/SAVP/.test(answer.body), secure);
      if (secure) assert.equal(ourKey(answer.body, 4).suite, suite);
      // The running call stays as it is: nobody on the way can take its encryption away.
      const to_tag = tagOf(answer.header('To'));
      peer.request('ACK', { ...leg, cseq: 1, to_tag });
      peer.request('INVITE', { ...leg, cseq: 2, to_tag, body: secure ? peerSdp(5000) : secured });
      await peer.message('the refusal', (m) => m.status === 488 && m.header('CSeq') === '2 INVITE');
      assert.equal(trunk.stats().calls, 1);
    }
    await trunk.stop();
  });
}
