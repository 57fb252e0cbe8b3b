// The registration at a provider's registrar: login, renewal, failures, several processes, and calls that come because of it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sipCarrier } from './index.ts';
import type { SipTrunkOptions } from './options.ts';
import { answerCalls, until } from './testing/answer-calls.ts';
import { startTrunk, testTrunkOptions } from './testing/trunk.ts';
import { type Message, peerSdp, type UdpPeer, udpPeer } from './testing/udp-peer.ts';
import { sipVoice } from './voice-port.ts';

type Answer = { status: string; headers?: string[] } | null;

/** A registrar that answers one REGISTER after the other; null: not at all. */
async function registrar(answer: (request: Message, turn: number) => Answer) {
  const requests: Message[] = [];
  const peer: UdpPeer = await udpPeer((message) => {
    if (message.method !== 'REGISTER') return;
    const answered = answer(message, requests.length);
    requests.push(message);
    const to_port = Number(/127\.0\.0\.1:(\d+)/.exec(message.header('Via'))![1]);
    if (answered) peer.reply(message, answered.status, { headers: answered.headers ?? [], to_port });
  });
  return { peer, requests };
}

const settings = (port: number): Partial<SipTrunkOptions> & { peer_port: number } => ({
  peer_port: port,
  credentials: { user: 'line1', password: 'secret' },
  registration: { registrar: { host: '127.0.0.1', port }, user: 'line1', expires_s: 600, first_retry_ms: 20 },
});

const granted = (request: Message, seconds: number): Answer => ({
  status: '200 OK',
  headers: [
    'Contact: <sip:parley@127.0.0.9:5060>;expires=3600',
    `Contact: ${request.header('Contact')};expires=${seconds}`,
  ],
});

test('F5: a process registers with its login, renews before the end, and takes it back when it stops', async () => {
  const { peer, requests } = await registrar((request) =>
    request.header('Authorization') === ''
      ? {
          status: '401 Unauthorized',
          headers: ['WWW-Authenticate: Digest realm="r", nonce="n", algorithm=SHA-256'],
        }
      : granted(request, request.header('Expires') === '0' ? 0 : 2),
  );
  const trunk = await startTrunk(settings(peer.port));
  await until(() => requests.filter((request) => request.header('Authorization') !== '').length >= 2);
  assert.equal(trunk.registration()?.state, 'registered');
  const [first] = requests;
  assert.match(first!.text, new RegExp(`^REGISTER sip:127\\.0\\.0\\.1:${peer.port} SIP/2\\.0`));
  assert.match(first!.header('To'), /<sip:line1@127\.0\.0\.1>/);
  assert.deepEqual(
    [first!.header('Contact'), first!.header('Expires')],
    [`<sip:parley@127.0.0.1:${trunk.port}>`, '600'],
  );
  await trunk.stop();
  assert.equal(requests.at(-1)!.header('Expires'), '0');
  assert.equal(new Set(requests.map((request) => request.header('Call-ID'))).size, 1);
  const numbers = requests.map((request) => Number.parseInt(request.header('CSeq'), 10));
  assert.deepEqual(
    numbers,
    numbers.toSorted((a, b) => a - b),
  );
  assert.equal(new Set(numbers).size, numbers.length);
});

test('F5: a refused registration is tried again, and readiness says why calls do not come', async () => {
  let is_right = false;
  const { peer, requests } = await registrar((request) =>
    is_right ? granted(request, 600) : { status: '403 Forbidden' },
  );
  const { peer_port: _, ...options } = settings(peer.port);
  const carrier = sipCarrier(
    { ...testTrunkOptions(peer.port), ...options },
    { log: { info() {}, warn() {} }, handleEvents: async () => {} },
  );
  await carrier.listener!.start();
  await until(() => requests.length >= 3);
  assert.equal(carrier.listener!.problem(), 'The SIP registrar refuses the registration (403 Forbidden).');
  is_right = true;
  await until(() => carrier.listener!.problem() === null);
  await carrier.listener!.stop();
});

test('F5: a registrar that does not respond is a problem, and is asked again', async () => {
  const { peer, requests } = await registrar((request, turn) => (turn < 2 ? null : granted(request, 600)));
  const trunk = await startTrunk({ ...settings(peer.port), t1_ms: 5 });
  await until(() => trunk.registration()?.state === 'unreachable');
  await until(() => trunk.registration()?.state === 'registered');
  assert.ok(requests.length >= 3);
  await trunk.stop();
});

test('F5: a registrar that wants longer registrations gets one, and one that grants nothing no flood', async () => {
  const longer = await registrar((request) =>
    Number(request.header('Expires')) < 1800 && request.header('Expires') !== '0'
      ? { status: '423 Interval Too Brief', headers: ['Min-Expires: 1800'] }
      : granted(request, 1800),
  );
  const trunk = await startTrunk(settings(longer.peer.port));
  await until(() => trunk.registration()?.state === 'registered');
  assert.deepEqual(
    longer.requests.map((request) => request.header('Expires')),
    ['600', '1800'],
  );
  await trunk.stop();

  const stingy = await registrar((request) => granted(request, 0));
  const other = await startTrunk(settings(stingy.peer.port));
  await until(() => other.registration()?.state === 'refused');
  await other.stop();
});

test('F5: two processes of one user register different addresses', async () => {
  const { peer, requests } = await registrar((request) => granted(request, 600));
  const trunks = [await startTrunk(settings(peer.port)), await startTrunk(settings(peer.port))];
  await until(() => trunks.every((trunk) => trunk.registration()?.state === 'registered'));
  assert.equal(new Set(requests.map((request) => request.header('Contact'))).size, 2);
  assert.equal(new Set(requests.map((request) => request.header('Call-ID'))).size, 2);
  for (const trunk of trunks) await trunk.stop();
});

test('F5: a call to the registered address finds the number in To, or where the provider says it', async () => {
  const inbound = answerCalls(() => ({ answer: false, status: 404 }));
  const peer = await udpPeer();
  const trunk = await startTrunk({ peer_port: peer.port }, inbound);
  const leg = { to_port: trunk.port, cseq: 1, to_user: 'parley', body: peerSdp(5000) };
  peer.request('INVITE', { ...leg, call_id: 'by-to' });
  await peer.message('the first answer', (m) => m.status === 404 && m.header('Call-ID') === 'by-to');
  const headers = ['P-Called-Party-ID: <sip:+15005550177@provider.example>'];
  peer.request('INVITE', { ...leg, call_id: 'by-header', headers });
  await peer.message('the second answer', (m) => m.status === 404 && m.header('Call-ID') === 'by-header');
  assert.deepEqual(
    inbound.offers.map(({ to }) => to),
    ['+15005550100', '+15005550177'],
  );
  await trunk.stop();
});

test('F5: a call that another process has got is not ended there by our refusal', async () => {
  const offer = { provider_call_id: 'forked', from: '+15005550001', to: '+15005550100' };
  const trunk = await startTrunk({ peer_port: 9 });
  const elsewhere = sipVoice(trunk, async () => {});
  assert.deepEqual(await elsewhere.decideInbound(offer), { answer: false, status: 480 });
  const declining = sipVoice(trunk, async () => void (await declining.decline('forked')));
  assert.deepEqual(await declining.decideInbound(offer), { answer: false, status: 603 });
  const full = sipVoice(trunk, async () => void (await full.decline('forked', 'no_capacity')));
  assert.deepEqual(await full.decideInbound(offer), { answer: false, status: 503 });
  await trunk.stop();
});
