// Calls over a network that loses every fifth datagram in each direction, against SIPp.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { lossyProxy } from './testing/lossy-proxy.ts';
import { sipp_is_missing, startSipp, step } from './testing/sipp.ts';
import { startTrunk } from './testing/trunk.ts';

const calls = 20;
/** SIPp recognizes a repeated request only before it has sent a second response, so there is no ringing here. */

async function throughLoss(
  steps: (contact: string) => string[],
  check: (trunk: Awaited<ReturnType<typeof startTrunk>>) => Promise<void>,
): Promise<void> {
  const proxy = await lossyProxy({ loss: 0.2, seed: 7 });
  const peer = await startSipp({
    transport: 'udp',
    steps: steps(`127.0.0.1:${proxy.port}`),
    calls,
    more: ['-max_retrans', '20'],
  });
  proxy.forwardTo(peer.port);
  // With a short T1 the same number of retransmissions takes less time.
  const trunk = await startTrunk({ peer_port: proxy.port, t1_ms: 200 });
  try {
    await check(trunk);
    const { code, errors } = await peer.done;
    assert.equal(code, 0, errors);
    assert.ok(proxy.counts.lost > 10, `only ${proxy.counts.lost} datagrams were lost`);
    assert.ok(trunk.stats().sip_repeated > 0);
  } finally {
    await trunk.stop();
    await peer.stop();
    await proxy.close();
  }
}

test(
  'every call completes though a fifth of all datagrams is lost',
  { skip: sipp_is_missing, timeout: 90_000 },
  () =>
    throughLoss(
      (contact) => [
        step.receive('INVITE'),
        step.answer({ contact, repeat_ms: 20 }),
        step.receive('ACK'),
        step.receive('BYE'),
        step.replyInCall(),
        // Long enough to respond to a repeated BYE whose first response was lost.
        '<timewait milliseconds="6000"/>',
      ],
      async (trunk) => {
        // Long enough for an ACK to arrive; SIPp accepts no BYE before it.
        const placed = await Promise.all(
          Array.from({ length: calls }, () => trunk.call({ max_duration_ms: 5000 })),
        );
        for (const call of placed) {
          assert.equal((await call.ended()).end_reason, 'max_duration', JSON.stringify(call.events));
          assert.equal(call.history(), 'dialed > answered > hung_up');
        }
      },
    ),
);

test(
  'every refusal arrives though a fifth of all datagrams is lost',
  { skip: sipp_is_missing, timeout: 90_000 },
  () =>
    throughLoss(
      (contact) => [
        step.receive('INVITE'),
        step.reply(486, 'Busy Here', { contact, repeat_ms: 20 }),
        step.receive('ACK'),
      ],
      async (trunk) => {
        const placed = await Promise.all(Array.from({ length: calls }, () => trunk.call()));
        for (const call of placed) assert.equal((await call.ended()).end_reason, 'busy');
      },
    ),
);
