// Requests of the other side within a call: those that we have not, and UPDATE (RFC 3311).
import assert from 'node:assert/strict';
import { createSocket } from 'node:dgram';
import { after, test } from 'node:test';
import type { SipTrunkOptions } from './options.ts';
import { answerCalls } from './testing/answer-calls.ts';
import { startTrunk } from './testing/trunk.ts';
import { type Message, peerSdp, tagOf, type UdpPeer, udpPeer } from './testing/udp-peer.ts';

/** A call of the peer to us. `say` sends a request in it and returns our response. */
async function inboundCall(
  { headers = [] as string[], body = peerSdp(5000), acknowledged = true } = {},
  options: Partial<SipTrunkOptions> = {},
) {
  const inbound = answerCalls();
  const peer: UdpPeer = await udpPeer((message) => {
    if (message.method === 'BYE') peer.reply(message, '200 OK', { to_port: trunk.port });
  });
  const trunk = await startTrunk({ peer_port: peer.port, ...options }, inbound);
  const leg = { to_port: trunk.port, call_id: 'in-call' };
  peer.request('INVITE', { ...leg, cseq: 1, headers, body });
  const ok = await peer.message('our answer', ({ status }) => status === 200);
  const to_tag = tagOf(ok.header('To'));
  if (acknowledged) peer.request('ACK', { ...leg, cseq: 1, to_tag });
  let cseq = 1;
  const say = (method: string, parts: { headers?: string[]; body?: string } = {}): Promise<Message> => {
    const number = `${++cseq} ${method}`;
    peer.request(method, { ...leg, cseq, to_tag, ...parts });
    return peer.message(`the response to ${number}`, (m) => m.status !== null && m.header('CSeq') === number);
  };
  return { peer, trunk, inbound, ok, say, leg: { ...leg, to_tag }, call: await inbound.accepted };
}

test('F5: a request in a call with a method that we have not gets 405 with our methods, and the call goes on', async () => {
  const { say, call, inbound, trunk } = await inboundCall();
  const methods = [
    'INFO',
    'REFER',
    'NOTIFY',
    'MESSAGE',
    'PRACK',
    'SUBSCRIBE',
    'PUBLISH',
    'REGISTER',
    'X-NEW',
  ];
  for (const method of methods) {
    const headers = method === 'REFER' ? ['Refer-To: <sip:+15005550123@127.0.0.1>'] : [];
    const refusal = await say(method, { headers });
    const allow = refusal.header('Allow');
    assert.deepEqual([method, refusal.status, allow], [method, 405, 'INVITE,ACK,CANCEL,BYE,OPTIONS,UPDATE']);
  }
  assert.equal((await say('OPTIONS')).status, 200);
  assert.deepEqual([call.isLive(), inbound.events.length], [true, 1]);
  assert.equal((await say('BYE')).status, 200);
  assert.equal(call.isLive(), false);
  await trunk.stop();
});

test('F5: an UPDATE without a description refreshes the session timer, and gets none back', async () => {
  const timer = ['Supported: timer', 'Session-Expires: 8;refresher=uac'];
  const limits = { session_limits: { expires_s: 2, min_s: 1 } };
  const { say, ok, call, inbound, peer, trunk } = await inboundCall({ headers: timer }, limits);
  assert.match(ok.header('Allow'), /\bUPDATE\b/);
  const refreshed = await say('UPDATE', { headers: timer });
  assert.deepEqual(
    [refreshed.status, refreshed.header('Session-Expires'), refreshed.header('Require'), refreshed.body],
    [200, '8;refresher=uac', 'timer', ''],
  );
  assert.match(refreshed.header('Contact'), /sip:parley@/);
  const short = await say('UPDATE', { headers: ['Supported: timer', 'Session-Expires: 0'] });
  assert.deepEqual([short.status, short.header('Min-SE')], [422, '1']);
  // From here on the caller is to refresh within a second, and does not.
  const hurried = await say('UPDATE', { headers: ['Supported: timer', 'Session-Expires: 1;refresher=uac'] });
  assert.deepEqual([hurried.status, call.isLive()], [200, true]);
  await peer.message('our BYE', ({ method }) => method === 'BYE');
  const last = inbound.events.at(-1)!;
  assert.equal('end_reason' in last && last.end_reason, 'trunk_failure');
  await trunk.stop();
});

test('F5: an UPDATE with an offer holds the call and moves its stream, one without our codecs changes nothing', async () => {
  const { say, call, trunk } = await inboundCall();
  const moved = createSocket('udp4');
  after(() => void moved.close());
  await new Promise<void>((resolve) => moved.bind(0, '127.0.0.1', resolve));
  const packet = new Promise((resolve) => moved.once('message', resolve));
  const hold = await say('UPDATE', { body: peerSdp(5000, ['a=sendonly']) });
  assert.equal(hold.status, 200);
  assert.match(hold.body, /^a=recvonly\r$/m);
  const refused = await say('UPDATE', { body: peerSdp(5000).replace('AVP 0', 'AVP 18') });
  assert.equal(refused.status, 488);
  const resumed = await say('UPDATE', { body: peerSdp(moved.address().port) });
  assert.equal(resumed.status, 200);
  assert.match(resumed.body, /^a=sendrecv\r$/m);
  await packet;
  // A re-INVITE finds offers and answers in order again.
  assert.equal((await say('INVITE', { body: peerSdp(5000) })).status, 200);
  assert.equal(call.isLive(), true);
  await trunk.stop();
});

test('F5: an UPDATE moves the address that our next requests go to', async () => {
  const { say, call, peer, trunk } = await inboundCall();
  assert.equal((await say('UPDATE')).status, 200);
  call.hangUp('api_hangup');
  const bye = await peer.message('our BYE', ({ method }) => method === 'BYE');
  assert.match(bye.text, new RegExp(`^BYE sip:caller@127\\.0\\.0\\.1:${peer.port} SIP/2\\.0\r\n`));
  await trunk.stop();
});

test('F5: an UPDATE with an offer gets 491 while our offer is not answered, and one without is answered', async () => {
  const { say, leg, peer, call, trunk } = await inboundCall({ body: '', acknowledged: false });
  assert.equal((await say('UPDATE', { body: peerSdp(5000) })).status, 491);
  assert.equal((await say('UPDATE')).status, 200);
  peer.request('ACK', { ...leg, cseq: 1, body: peerSdp(5000) });
  assert.ok(await call.media);
  assert.equal((await say('UPDATE', { body: peerSdp(5000) })).status, 200);
  await trunk.stop();
});

test('F5: an UPDATE for a call that is not there gets 481', async () => {
  const { leg, peer, trunk } = await inboundCall();
  for (const [cseq, other] of [{ call_id: 'other' }, { to_tag: 'other' }].entries()) {
    peer.request('UPDATE', { ...leg, ...other, cseq: 20 + cseq });
    const refusal = await peer.message('the refusal', (m) => m.header('CSeq') === `${20 + cseq} UPDATE`);
    assert.equal(refusal.status, 481);
  }
  await trunk.stop();
});

test('F5: an UPDATE of the callee before it answers is answered, with an offer by 491', async () => {
  const responses: Message[] = [];
  const peer: UdpPeer = await udpPeer((message) => {
    if (message.method === 'BYE') peer.reply(message, '200 OK', leg);
    if (message.header('CSeq').endsWith(' UPDATE')) responses.push(message);
    if (message.method === 'INVITE') peer.reply(message, '180 Ringing', leg);
  });
  const trunk = await startTrunk({ peer_port: peer.port });
  const leg = { to_port: trunk.port };
  const call = await trunk.call();
  await call.reached('rang');
  const invite = await peer.message('the INVITE', ({ method }) => method === 'INVITE');
  const update = { ...leg, call_id: call.id, invite, to_user: 'parley' };
  peer.request('UPDATE', { ...update, cseq: 1 });
  await peer.message('the first response', (m) => m.header('CSeq') === '1 UPDATE');
  peer.request('UPDATE', { ...update, cseq: 2, body: peerSdp(5000) });
  await peer.message('the second response', (m) => m.header('CSeq') === '2 UPDATE');
  assert.deepEqual(
    responses.map(({ status }) => status),
    [200, 491],
  );
  peer.reply(invite, '200 OK', { ...leg, body: peerSdp(5000) });
  assert.ok(await call.media());
  await trunk.stop();
});
