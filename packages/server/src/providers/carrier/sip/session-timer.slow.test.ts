// Session timers (RFC 4028) against a UDP peer: agreed, refreshed by either side, too short, and never refreshed.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { answerCalls, until } from './testing/answer-calls.ts';
import { startTrunk } from './testing/trunk.ts';
import { type Message, peerSdp, tagOf, type UdpPeer, udpPeer } from './testing/udp-peer.ts';

/** Seconds instead of half hours. */
const short = { expires_s: 2, min_s: 1 };

const isRefresh = ({ method, header }: Message) => method === 'INVITE' && /;tag=/.test(header('To'));

/** A call of the peer to us, acknowledged. */
async function inboundCall(
  headers: string[],
  onRefresh: (refresh: Message, peer: UdpPeer) => void = () => {},
) {
  const inbound = answerCalls();
  const peer: UdpPeer = await udpPeer((message) => {
    if (isRefresh(message)) onRefresh(message, peer);
    if (message.method === 'BYE') peer.reply(message, '200 OK', { to_port: trunk.port });
  });
  const trunk = await startTrunk({ peer_port: peer.port, session_limits: short }, inbound);
  const leg = { to_port: trunk.port, call_id: 'timed' };
  peer.request('INVITE', { ...leg, cseq: 1, headers, body: peerSdp(5000) });
  const ok = await peer.message('our answer', ({ status }) => status === 200);
  const to_tag = tagOf(ok.header('To'));
  peer.request('ACK', { ...leg, cseq: 1, to_tag });
  return { inbound, peer, trunk, ok, leg: { ...leg, to_tag }, call: await inbound.accepted };
}

const lastEnd = ({ events }: ReturnType<typeof answerCalls>) => {
  const last = events.at(-1)!;
  return 'end_reason' in last ? [last.end_reason, last.detail] : [last.trigger];
};

test('F5: a caller that wants to refresh itself is told so, and its refreshes keep the call', async () => {
  const { ok, peer, leg, trunk, call, inbound } = await inboundCall([
    'Supported: timer',
    'Session-Expires: 8',
  ]);
  assert.deepEqual([ok.header('Session-Expires'), ok.header('Require')], ['8;refresher=uac', 'timer']);
  const headers = ['Supported: timer', 'Session-Expires: 8;refresher=uac'];
  peer.request('INVITE', { ...leg, cseq: 2, headers, body: peerSdp(5000) });
  const again = await peer.message('the answer to the refresh', (m) => m.header('CSeq') === '2 INVITE');
  peer.request('ACK', { ...leg, cseq: 2 });
  assert.deepEqual([again.status, again.header('Session-Expires')], [200, '8;refresher=uac']);
  assert.equal(call.isLive(), true);
  // Then the caller is gone: nothing refreshes the call any more.
  await peer.message('our BYE', ({ method }) => method === 'BYE');
  assert.deepEqual(lastEnd(inbound), ['trunk_failure', 'the other side did not refresh the call in time']);
  await trunk.stop();
});

for (const [what, headers] of Object.entries({
  'a caller that asks us to': ['Supported: timer', 'Session-Expires: 1;refresher=uas'],
  'a proxy for a caller without timers': ['x: 1'],
})) {
  test(`F5: we refresh the call for ${what}`, async () => {
    const refreshes: Message[] = [];
    const { ok, peer, trunk, call } = await inboundCall(headers, (refresh, self) => {
      refreshes.push(refresh);
      self.reply(refresh, '200 OK', {
        headers: ['Session-Expires: 1;refresher=uac'],
        body: peerSdp(5000),
        to_port: trunk.port,
      });
    });
    assert.deepEqual([ok.header('Session-Expires'), ok.header('Require')], ['1;refresher=uas', '']);
    await until(() => refreshes.length >= 2);
    const [first, second] = refreshes;
    assert.match(first!.header('Session-Expires'), /^1;refresher=uac$/);
    // The description has not changed, so it has the same version (RFC 4028 section 7.4).
    assert.deepEqual([first!.body, second!.body], [ok.body, ok.body]);
    await peer.message('the ACK', (m) => m.method === 'ACK');
    assert.equal(call.isLive(), true);
    call.hangUp('api_hangup');
    await trunk.stop();
  });
}

test('F5: a refresh that is refused does not end the call, one that meets no call does', async () => {
  const statuses = ['488 Not Acceptable Here', '481 Call Does Not Exist'];
  const { peer, trunk, inbound } = await inboundCall(['x: 1'], (refresh, self) =>
    self.reply(refresh, statuses.shift() ?? '481 Call Does Not Exist', { to_port: trunk.port }),
  );
  await peer.message('our BYE', ({ method }) => method === 'BYE');
  assert.equal(peer.received.filter(isRefresh).length, 2);
  assert.deepEqual(lastEnd(inbound), ['trunk_failure', 'the refresh of the call was refused with 481']);
  await trunk.stop();
});

test('F5: an interval below our minimum gets 422 with Min-SE', async () => {
  const inbound = answerCalls();
  const peer = await udpPeer();
  const trunk = await startTrunk({ peer_port: peer.port }, inbound);
  peer.request('INVITE', {
    ...{ to_port: trunk.port, call_id: 'short', cseq: 1, body: peerSdp(5000) },
    headers: ['Supported: timer', 'Session-Expires: 30'],
  });
  const refusal = await peer.message('the refusal', ({ status }) => (status ?? 0) >= 200);
  assert.deepEqual([refusal.status, refusal.header('Min-SE'), inbound.offers.length], [422, '90', 0]);
  await trunk.stop();
});

/** A call of ours to a peer that answers its INVITEs one by one. */
async function outboundCall(
  answer: (invite: Message, turn: number) => { status: string; headers: string[] },
) {
  let turn = 0;
  const peer: UdpPeer = await udpPeer((message) => {
    if (message.method === 'BYE') peer.reply(message, '200 OK', { to_port: trunk.port });
    if (message.method !== 'INVITE') return;
    const { status, headers } = answer(message, turn++);
    const body = status.startsWith('2') ? peerSdp(5000) : '';
    peer.reply(message, status, { headers, body, to_port: trunk.port });
  });
  const trunk = await startTrunk({ peer_port: peer.port, session_limits: short });
  return { peer, trunk, call: await trunk.call() };
}

test('F5: our call asks for a timer, asks again for a longer one after 422, and is refreshed', async () => {
  const invites: Message[] = [];
  const { call, trunk } = await outboundCall((invite, turn) => {
    invites.push(invite);
    if (turn < 2) return { status: '422 Session Interval Too Small', headers: [`Min-SE: ${3 + turn}`] };
    return { status: '200 OK', headers: ['Require: timer', 'Session-Expires: 1;refresher=uac'] };
  });
  await call.reached('answered');
  await until(() => invites.length === 4);
  const asked = invites.map((invite) => invite.header('Session-Expires'));
  assert.deepEqual(asked, ['2', '3', '4', '1;refresher=uac']);
  assert.deepEqual(new Set(invites.map((invite) => invite.header('Call-ID'))).size, 1);
  assert.deepEqual(
    invites.slice(0, 3).map((invite) => invite.header('CSeq')),
    ['1 INVITE', '2 INVITE', '3 INVITE'],
  );
  assert.match(invites[0]!.header('Supported'), /\btimer\b/);
  assert.equal(call.history(), 'dialed > answered');
  call.hangUp('api_hangup');
  await trunk.stop();
});

test('F5: a server that always wants a longer timer ends the call as a set-up error', async () => {
  const { call, trunk, peer } = await outboundCall((_invite, turn) => ({
    status: '422 Session Interval Too Small',
    headers: [`Min-SE: ${100 + turn}`],
  }));
  const end = await call.ended();
  assert.deepEqual([end.end_reason, end.sip_status], ['setup_error', 422]);
  assert.ok(peer.received.filter(({ method }) => method === 'INVITE').length < 10);
  await trunk.stop();
});
