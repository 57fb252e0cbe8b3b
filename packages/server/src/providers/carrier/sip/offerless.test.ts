// An INVITE without a session description: our offer is in the 200, the caller's answer in the ACK.
import assert from 'node:assert/strict';
import { createSocket } from 'node:dgram';
import { test } from 'node:test';
import { answerCalls } from './testing/answer-calls.ts';
import { startTrunk } from './testing/trunk.ts';
import { peerSdp, tagOf, udpPeer } from './testing/udp-peer.ts';

/** A caller that has sent such an INVITE and has got our offer. */
async function offerlessCall(options: { t1_ms?: number } = {}) {
  const inbound = answerCalls();
  const peer = await udpPeer((message) => {
    if (message.method === 'BYE') peer.reply(message, '200 OK', { to_port: trunk.port });
  });
  const trunk = await startTrunk({ peer_port: peer.port, ...options }, inbound);
  const leg = { to_port: trunk.port, call_id: 'no-offer' };
  peer.request('INVITE', { ...leg, cseq: 1 });
  const ok = await peer.message('our offer', ({ status }) => status === 200);
  const to_tag = tagOf(ok.header('To'));
  return {
    ...{ inbound, peer, trunk, ok },
    call: await inbound.accepted,
    ack: (body: string) => peer.request('ACK', { ...leg, cseq: 1, to_tag, body }),
    bye: () => peer.request('BYE', { ...leg, cseq: 2, to_tag }),
    hungUp: () => peer.message('our BYE', ({ method }) => method === 'BYE'),
    history: () => inbound.events.map((item) => ('end_reason' in item ? item.end_reason : item.trigger)),
  };
}

test('F5: an INVITE without an offer gets ours, and audio flows after the answer in the ACK', async () => {
  const { call, ok, ack, history, hungUp, trunk } = await offerlessCall();
  const audio = createSocket('udp4');
  await new Promise<void>((resolve) => audio.bind(0, '127.0.0.1', resolve));
  const packet = new Promise((resolve) => audio.once('message', resolve));
  assert.match(ok.body, /^m=audio \d+ RTP\/AVP 0 8 101\r$/m);
  assert.match(ok.header('Content-Type'), /application\/sdp/);
  assert.deepEqual(history(), []);
  ack(peerSdp(audio.address().port));
  assert.ok(await call.media);
  await packet;
  assert.deepEqual(history(), ['answered']);
  call.hangUp('agent_hangup');
  await hungUp();
  assert.deepEqual(history(), ['answered', 'agent_hangup']);
  assert.equal(trunk.stats().calls, 0);
  await trunk.stop();
  audio.close();
});

for (const [what, body] of Object.entries({
  'no answer': '',
  'an answer without our codecs': peerSdp(5000).replace('AVP 0', 'AVP 18'),
  'an answer that is no description': 'hello',
})) {
  test(`F5: an ACK with ${what} ends the call as a media failure`, async () => {
    const { call, ack, history, hungUp, trunk } = await offerlessCall();
    ack(body);
    assert.equal(await call.media, null);
    await hungUp();
    assert.deepEqual([history(), trunk.stats().calls], [['media_failure'], 0]);
    await trunk.stop();
  });
}

test('F5: an offer that is never acknowledged ends the call as a set-up error', async () => {
  const { call, history, hungUp, trunk } = await offerlessCall({ t1_ms: 10 });
  assert.equal(await call.media, null);
  await hungUp();
  assert.deepEqual([history(), trunk.stats().calls], [['setup_error'], 0]);
  await trunk.stop();
});

test('F5: both sides can end a call whose offer was not answered yet', async () => {
  const ours = await offerlessCall();
  assert.equal(ours.call.hangUp('api_hangup'), true);
  assert.deepEqual([ours.history(), ours.call.isLive()], [['api_hangup'], false]);
  ours.ack(peerSdp(5000));
  await ours.hungUp();
  await ours.trunk.stop();

  const theirs = await offerlessCall();
  theirs.bye();
  assert.equal(await theirs.call.media, null);
  assert.deepEqual(theirs.history(), ['callee_hangup']);
  await theirs.trunk.stop();
});
