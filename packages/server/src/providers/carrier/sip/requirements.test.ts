// Extensions that one side requires of the other: a true refusal in both directions.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { answerCalls } from './testing/answer-calls.ts';
import { startTrunk } from './testing/trunk.ts';
import { peerSdp, tagOf, type UdpPeer, udpPeer } from './testing/udp-peer.ts';

for (const [headers, unsupported] of [
  [['Require: 100rel'], '100rel'],
  [['Require: x-unknown, 100rel', 'Require: precondition'], 'x-unknown, 100rel, precondition'],
] as const) {
  test(`F5: a call that requires ${unsupported} is refused with 420, and the same call without it is taken`, async () => {
    const inbound = answerCalls();
    const peer = await udpPeer();
    const trunk = await startTrunk({ peer_port: peer.port }, inbound);
    const leg = { to_port: trunk.port, body: peerSdp(5000) };
    peer.request('INVITE', { ...leg, call_id: 'required', cseq: 1, headers: [...headers] });
    const refusal = await peer.message('the refusal', ({ status }) => (status ?? 0) >= 200);
    assert.deepEqual([refusal.status, refusal.header('Unsupported')], [420, unsupported]);
    assert.deepEqual([inbound.offers.length, trunk.stats().calls], [0, 0]);
    peer.request('ACK', {
      to_port: trunk.port,
      call_id: 'required',
      cseq: 1,
      to_tag: tagOf(refusal.header('To')),
    });

    peer.request('INVITE', { ...leg, call_id: 'required', cseq: 2, headers: ['Supported: 100rel'] });
    await peer.message('our answer', ({ status }) => status === 200);
    await trunk.stop();
  });
}

test('F5: a re-INVITE that requires an unknown extension gets 420, and the call goes on', async () => {
  const inbound = answerCalls();
  const peer = await udpPeer();
  const trunk = await startTrunk({ peer_port: peer.port }, inbound);
  const leg = { to_port: trunk.port, call_id: 'in-call' };
  peer.request('INVITE', { ...leg, cseq: 1, body: peerSdp(5000) });
  const ok = await peer.message('our answer', ({ status }) => status === 200);
  const to_tag = tagOf(ok.header('To'));
  peer.request('ACK', { ...leg, cseq: 1, to_tag });
  peer.request('INVITE', { ...leg, cseq: 2, to_tag, body: peerSdp(5000), headers: ['Require: x-unknown'] });
  await peer.message('the refusal', ({ status }) => status === 420);
  assert.equal((await inbound.accepted).isLive(), true);
  // A BYE is obeyed whatever it requires.
  peer.request('BYE', { ...leg, cseq: 3, to_tag, headers: ['Require: x-unknown'] });
  await peer.message('the response to BYE', (m) => m.status === 200 && m.header('CSeq') === '3 BYE');
  assert.equal((await inbound.accepted).isLive(), false);
  await trunk.stop();
});

test('F5: a peer that requires an extension of us: the call fails as a set-up error that names it', async () => {
  let port = 0;
  const peer: UdpPeer = await udpPeer((message) => {
    if (message.method !== 'INVITE') return;
    peer.reply(message, '421 Extension Required', { headers: ['Require: 100rel'], to_port: port });
  });
  const trunk = await startTrunk({ peer_port: peer.port });
  port = trunk.port;
  const call = await trunk.call();
  const end = await call.ended();
  assert.deepEqual([end.end_reason, end.sip_status], ['setup_error', 421]);
  assert.match(end.detail, /requires 100rel/);
  await trunk.stop();
});
