// Events during a call: packets from other sources, hold, a moved stream, missing packets, the end.
import assert from 'node:assert/strict';
import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { test } from 'node:test';
import type { SipTrunkOptions } from './options.ts';
import { emptyPacket, readPacket, startPacket } from './rtp/packet.ts';
import { answerCalls, stopAll, until } from './testing/answer-calls.ts';
import { startTrunk } from './testing/trunk.ts';

/** A peer that writes SIP messages itself, so that it can also send wrong ones. */
async function rawSipPeer(options: Partial<SipTrunkOptions> = {}) {
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
    return startPacket(head, emptyPacket(160)).fill(loudness, 12);
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

test('the stream is locked to the first port of the negotiated host, and packets from others are dropped', async () => {
  const peer = await rawSipPeer();
  const [other_host, other_port] = [createSocket('udp4'), createSocket('udp4')];
  await new Promise<void>((resolve) => other_host.bind(0, '127.0.0.2', resolve));
  await new Promise<void>((resolve) => other_port.bind(0, '127.0.0.1', resolve));
  let received_loud = false;
  peer.media.onFrame((pcm) => {
    received_loud ||= Math.min(...pcm) < -20_000;
  });
  // Another host, before the lock: dropped and counted, and the lock stays open.
  other_host.send(peer.packet(1, loud), peer.our_rtp, '127.0.0.1');
  await until(() => peer.stats().untrusted_dropped === 1);
  // The negotiated host locks it, from any port.
  other_port.send(peer.packet(1, 0xff), peer.our_rtp, '127.0.0.1');
  await until(() => peer.stats().packets_received === 1);
  const [sent_back] = (await once(other_port, 'message')) as [Buffer];
  assert.equal(readPacket(sent_back)?.payload_type, 0);
  // Once locked, packets from the negotiated port and from another host are dropped as well.
  peer.rtp.send(peer.packet(2, loud), peer.our_rtp, '127.0.0.1');
  other_host.send(peer.packet(3, loud), peer.our_rtp, '127.0.0.1');
  for (let sequence = 2; sequence < 12; sequence++) {
    other_port.send(peer.packet(sequence, 0xff), peer.our_rtp, '127.0.0.1');
  }
  await until(() => peer.stats().packets_received === 11);
  assert.equal(received_loud, false);
  await peer.done();
  other_host.close();
  other_port.close();
});

test('packets without audio in the negotiated format are dropped and counted', async () => {
  const peer = await rawSipPeer();
  for (const bytes of [
    Buffer.from('junk'),
    Buffer.alloc(0),
    startPacket({ ...readPacket(peer.packet(1, 0))!, payload_type: 99 }, emptyPacket(160)),
  ]) {
    peer.rtp.send(bytes, peer.our_rtp, '127.0.0.1');
  }
  await until(() => peer.stats().malformed_dropped === 3);
  assert.equal(peer.stats().packets_received, 0);
  await peer.done();
});

test('hold and refresh are accepted, and a stream that moves is followed', async () => {
  const peer = await rawSipPeer();
  const responseTo = async (cseq: number) => {
    for (;;) {
      const [bytes] = (await once(peer.sip, 'message')) as [Buffer];
      if (String(bytes).includes(`CSeq: ${cseq} INVITE`) && !/^SIP\/2\.0 1/.test(String(bytes)))
        return String(bytes);
    }
  };
  const held = responseTo(10);
  peer.inCall('INVITE', 10, peer.body(peer.rtp.address().port, 'sendonly'));
  const hold = await held;
  assert.match(hold, /^SIP\/2\.0 200 OK[\s\S]*^a=recvonly\r$/m);
  assert.match(hold, /^Contact: /m);
  peer.inCall('ACK', 10);

  const moved = createSocket('udp4');
  await new Promise<void>((resolve) => moved.bind(0, '127.0.0.1', resolve));
  const resumed = responseTo(11);
  peer.inCall('INVITE', 11, peer.body(moved.address().port));
  assert.match(await resumed, /^SIP\/2\.0 200 OK[\s\S]*^a=sendrecv\r$/m);
  peer.inCall('ACK', 11);
  const [bytes] = (await once(moved, 'message')) as [Buffer];
  assert.equal(readPacket(bytes)?.payload_end, 172);

  const refused = responseTo(12);
  peer.inCall('INVITE', 12, peer.body(1).replace('RTP/AVP 0 101', 'RTP/AVP 18'));
  assert.match(await refused, /^SIP\/2\.0 488 /);
  assert.equal(peer.trunk.state(peer.call.id), 'live');
  moved.close();
  await peer.done();
});

test('a stream without packets ends the call as a media failure, and the other side gets a BYE', async () => {
  const peer = await rawSipPeer({ rtp_timeout_ms: 300 });
  peer.rtp.send(peer.packet(1, 0xff), peer.our_rtp, '127.0.0.1');
  const end = await peer.call.ended();
  assert.deepEqual([end.trigger, end.end_reason], ['broke', 'media_failure']);
  assert.deepEqual(await peer.media.closed, { by: 'failure', detail: 'no RTP for 300 ms' });
  const [bye] = (await once(peer.sip, 'message')) as [Buffer];
  assert.match(String(bye), /^BYE /);
  await peer.done();
});

test('closing the media session hangs up the call', async () => {
  const inbound = answerCalls();
  const callee = await startTrunk({ peer_port: 9 }, inbound);
  const caller = await startTrunk({ peer_port: callee.port });
  const call = await caller.call();
  (await call.media())!.close();
  assert.equal((await call.ended()).end_reason, 'agent_hangup');
  await until(() => callee.stats().calls === 0);
  await stopAll(caller, callee);
});

test('stopping the trunk ends its calls on both sides', async () => {
  const inbound = answerCalls();
  const callee = await startTrunk({ peer_port: 9 }, inbound);
  const caller = await startTrunk({ peer_port: callee.port });
  const call = await caller.call();
  await call.media();
  await inbound.accepted;
  await caller.stop();
  assert.deepEqual(
    [(await call.ended()).trigger, (await call.ended()).end_reason],
    ['broke', 'force_closed'],
  );
  await until(() => inbound.events.some((item) => 'end_reason' in item));
  await callee.stop();
});

/** An even port that is free, as is the one after it. */
async function freePair(): Promise<number> {
  for (;;) {
    const pair = [createSocket('udp4'), createSocket('udp4')];
    const bind = (socket: Socket, port: number) =>
      new Promise<number>((resolve) => {
        socket.once('error', () => resolve(1));
        socket.bind(port, '127.0.0.1', () => resolve(socket.address().port));
      });
    const first = await bind(pair[0]!, 0);
    const second = first % 2 === 0 ? await bind(pair[1]!, first + 1) : 1;
    for (const socket of pair) socket.close();
    if (second === first + 1) return first;
  }
}

test('F5: the other side of a call gets reports about the stream, from the port after it, until the call ends', async () => {
  const first = await freePair();
  const peer = await rawSipPeer({ rtp_ports: { first, last: first + 1 } });
  const reports = createSocket('udp4');
  await new Promise<void>((resolve) => reports.bind(0, '127.0.0.1', resolve));
  // A re-INVITE that names a port for reports.
  const { port } = reports.address();
  peer.inCall('INVITE', 20, `${peer.body(peer.rtp.address().port)}a=rtcp:${port}\r\n`);
  peer.inCall('ACK', 20);
  peer.rtp.send(peer.packet(1, 0xff), peer.our_rtp, '127.0.0.1');
  await until(() => peer.stats().packets_received === 1);
  const [report, from] = (await once(reports, 'message')) as [Buffer, { port: number }];
  // A sender's report (200) with one block, about the source that the peer sends as.
  assert.deepEqual([report[0], report[1], report.readUInt32BE(28)], [0x81, 200, 1]);
  assert.ok(report.readUInt32BE(20) > 0);
  assert.deepEqual([peer.our_rtp, from.port], [first, first + 1]);
  await peer.done();
  reports.close();
  // The port is free again.
  const again = createSocket('udp4');
  await new Promise<void>((resolve) => again.bind(first + 1, '127.0.0.1', resolve));
  again.close();
});
