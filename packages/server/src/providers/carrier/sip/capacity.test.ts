// A trunk that is full or stops: 503 with Retry-After, so that a proxy sends the call to another process.
import assert from 'node:assert/strict';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { test } from 'node:test';
import { waitFor } from '../../../../testing/wait-for.ts';
import { answerCalls, stopAll } from './testing/answer-calls.ts';
import { sipp_is_missing, startSipp, step } from './testing/sipp.ts';
import { startTrunk } from './testing/trunk.ts';
import type { SipTrunkDeps } from './trunk.ts';

/** Sends OPTIONS as a proxy does; returns the status line and the headers. */
async function askByOptions(port: number): Promise<string> {
  const socket = createSocket('udp4');
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  const own = `127.0.0.1:${socket.address().port}`;
  const lines = [
    `OPTIONS sip:127.0.0.1:${port} SIP/2.0`,
    `Via: SIP/2.0/UDP ${own};branch=z9hG4bK${Math.random().toString(36).slice(2)}`,
    `From: <sip:proxy@${own}>;tag=ping`,
    `To: <sip:127.0.0.1:${port}>`,
    `Call-ID: ${Math.random()}@${own}`,
    'CSeq: 1 OPTIONS',
    'Max-Forwards: 70',
    'Content-Length: 0',
  ];
  socket.send(`${lines.join('\r\n')}\r\n\r\n`, port, '127.0.0.1');
  const [bytes] = (await once(socket, 'message')) as [Buffer];
  socket.close();
  return String(bytes);
}

/** The caller expects this final response to its INVITE. */
async function callExpecting(port: number, status: number): Promise<void> {
  const caller = await startSipp({
    transport: 'udp',
    remote: { port, number: '+15005550100' },
    steps: [
      step.call(),
      step.expect(100, { optional: true }),
      step.expect(status),
      step.request('ACK', '1 ACK'),
    ],
  });
  const { code, errors } = await caller.done;
  assert.equal(code, 0, errors);
}

test('OPTIONS is answered 503 while the process has no capacity, and 200 while it has', async () => {
  let has_capacity = true;
  const deps: Partial<SipTrunkDeps> = { ...answerCalls(), hasCapacity: () => has_capacity };
  const trunk = await startTrunk({ peer_port: 9 }, deps);
  try {
    assert.match(await askByOptions(trunk.port), /^SIP\/2\.0 200 /);
    has_capacity = false;
    const full = await askByOptions(trunk.port);
    assert.match(full, /^SIP\/2\.0 503 /);
    assert.match(full, /^Retry-After: 5\r$/m);
    has_capacity = true;
    assert.match(await askByOptions(trunk.port), /^SIP\/2\.0 200 /);
  } finally {
    await stopAll(trunk);
  }
});

test('a trunk with its maximum number of calls answers OPTIONS and INVITE with 503', {
  skip: sipp_is_missing,
}, async () => {
  const trunk = await startTrunk({ peer_port: 9, max_calls: 0 }, answerCalls());
  try {
    assert.match(await askByOptions(trunk.port), /^SIP\/2\.0 503 /);
    await callExpecting(trunk.port, 503);
  } finally {
    await stopAll(trunk);
  }
});

test('of two calls at the same moment, a trunk for one call answers the second with 503', {
  skip: sipp_is_missing,
}, async () => {
  const { decideInbound, offers } = answerCalls(() => ({ answer: false, status: 603 }));
  const both_called = Promise.withResolvers<void>();
  const trunk = await startTrunk(
    { peer_port: 9, max_calls: 1 },
    { decideInbound: (offer) => both_called.promise.then(() => decideInbound(offer)) },
  );
  try {
    const first = callExpecting(trunk.port, 603);
    await waitFor('the first call arrives', async () =>
      /^SIP\/2\.0 503 /.test(await askByOptions(trunk.port)),
    );
    await callExpecting(trunk.port, 503);
    both_called.resolve();
    await first;
    assert.equal(offers.length, 1);
    await callExpecting(trunk.port, 603);
  } finally {
    await stopAll(trunk);
  }
});

test('a call that is declined because of no capacity gets 503, any other one 603', {
  skip: sipp_is_missing,
}, async () => {
  let status: 503 | 603 = 503;
  const trunk = await startTrunk(
    { peer_port: 9 },
    answerCalls(() => ({ answer: false, status })),
  );
  try {
    await callExpecting(trunk.port, 503);
    status = 603;
    await callExpecting(trunk.port, 603);
  } finally {
    await stopAll(trunk);
  }
});
