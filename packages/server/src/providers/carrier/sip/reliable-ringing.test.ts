// Provisional responses that the other side wants acknowledged (100rel, RFC 3262), although our calls do not offer it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startTrunk } from './testing/trunk.ts';
import { type Message, peerSdp, type UdpPeer, udpPeer } from './testing/udp-peer.ts';

/** A call of ours whose ringing is sent reliably, `before_answer` once it is acknowledged. */
async function reliablyRinging(
  onPrack: (prack: Message, peer: UdpPeer, to_port: number) => void,
  ringing: string[] = ['Require: 100rel', 'RSeq: 7'],
) {
  const peer: UdpPeer = await udpPeer((message) => {
    if (message.method === 'BYE') peer.reply(message, '200 OK', { to_port: trunk.port });
    if (message.method === 'PRACK') onPrack(message, peer, trunk.port);
    if (message.method !== 'INVITE') return;
    const response = { headers: ringing, body: peerSdp(peer.port + 1), to_port: trunk.port };
    peer.reply(message, '183 Session Progress', response);
    peer.reply(message, '183 Session Progress', response);
  });
  const trunk = await startTrunk({
    peer_port: peer.port,
    credentials: { user: 'line1', password: 'secret' },
  });
  const call = await trunk.call();
  const invite = await peer.message('the INVITE', ({ method }) => method === 'INVITE');
  const sent = (method: string) => peer.received.filter((message) => message.method === method);
  const numberOf = ({ header }: Message) => Number.parseInt(header('CSeq'), 10);
  return { peer, trunk, call, invite, sent, numberOf, leg: { to_port: trunk.port } };
}

test('F5: reliable ringing is acknowledged once, and the answer may then come without a description', async () => {
  const { peer, trunk, call, invite, sent, numberOf, leg } = await reliablyRinging((prack, self, to_port) =>
    self.reply(prack, '200 OK', { to_port }),
  );
  assert.doesNotMatch(invite.header('Supported'), /100rel/);
  const prack = await peer.message('PRACK', ({ method }) => method === 'PRACK');
  assert.equal(prack.header('RAck'), `7 ${invite.header('CSeq')}`);
  assert.match(prack.header('To'), /;tag=peer/);
  await call.reached('rang');
  // The next one is acknowledged too; one out of order is not.
  for (const [status, rseq] of [
    ['180 Ringing', 9],
    ['180 Ringing', 8],
  ] as const) {
    peer.reply(invite, status, { ...leg, headers: ['Require: 100rel', `RSeq: ${rseq}`] });
  }
  await peer.message('the second PRACK', (m) => m.header('RAck') === `8 ${invite.header('CSeq')}`);
  peer.reply(invite, '200 OK', leg);
  assert.ok(await call.media());
  assert.equal(call.history(), 'dialed > rang > answered');
  call.hangUp('api_hangup');
  await trunk.stop();
  assert.equal(sent('PRACK').length, 2);
  const [first, second, bye] = [...sent('PRACK'), ...sent('BYE')].map(numberOf);
  assert.ok(numberOf(invite) < first! && first! < second! && second! < bye!);
});

test('F5: a PRACK is sent again with a login, and a refused one does not end the call', async () => {
  const { peer, trunk, call, invite, sent, numberOf, leg } = await reliablyRinging((prack, self, to_port) => {
    const headers = ['Proxy-Authenticate: Digest realm="trunk", nonce="n1", qop="auth", algorithm=SHA-256'];
    if (prack.header('Proxy-Authorization')) self.reply(prack, '500 Server Internal Error', { to_port });
    else self.reply(prack, '407 Proxy Authentication Required', { headers, to_port });
  });
  await peer.message('the PRACK with a login', (m) => m.header('Proxy-Authorization') !== '');
  peer.reply(invite, '200 OK', { ...leg, body: peerSdp(peer.port + 1) });
  assert.ok(await call.media());
  call.hangUp('api_hangup');
  await trunk.stop();
  // Every request in the call has a higher number than the one before.
  const numbers = [invite, ...sent('PRACK'), ...sent('BYE')].map(numberOf);
  assert.equal(numbers.length, 4);
  assert.deepEqual(
    numbers,
    [...new Set(numbers)].sort((a, b) => a - b),
  );
});

for (const [what, headers] of Object.entries({
  'no number': ['Require: 100rel'],
  'a number that is none': ['Require: 100rel', 'RSeq: x\tRAck'],
  'no requirement': ['RSeq: 7'],
})) {
  test(`F5: ringing with ${what} is not acknowledged, and the call is answered`, async () => {
    const { peer, trunk, call, invite, sent, leg } = await reliablyRinging(() => {}, headers);
    await call.reached('rang');
    peer.reply(invite, '200 OK', { ...leg, body: peerSdp(peer.port + 1) });
    assert.ok(await call.media());
    assert.equal(sent('PRACK').length, 0);
    call.hangUp('api_hangup');
    await trunk.stop();
  });
}

test('F5: a call that is given up while it rings reliably is canceled', async () => {
  const { peer, trunk, call, invite, leg } = await reliablyRinging(() => {});
  await call.reached('rang');
  call.hangUp('api_hangup');
  const cancel = await peer.message('CANCEL', ({ method }) => method === 'CANCEL');
  peer.reply(cancel, '200 OK', leg);
  peer.reply(invite, '487 Request Terminated', leg);
  assert.equal((await call.ended()).end_reason, 'canceled');
  await trunk.stop();
});
