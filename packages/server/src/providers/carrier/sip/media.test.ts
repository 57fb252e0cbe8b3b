// The conformance suite of the media port over real SIP and RTP, between two of our trunks.
import { pause, waitFor } from '../../../../testing/wait-for.ts';
import { mediaSessionConformance } from '../../media/conformance.ts';
import type { MediaSession } from '../../media/media-session.ts';
import type { SipCall } from './call.ts';
import { startTrunk } from './testing/trunk.ts';

mediaSessionConformance('rtp', async () => {
  const accepted = Promise.withResolvers<SipCall>();
  const callee = await startTrunk(
    // The callee places no calls, so the port of its trunk is not used.
    { peer_port: 9 },
    {
      decideInbound: async () => ({
        answer: true,
        max_duration_ms: 60_000,
        emit() {},
        accepted: accepted.resolve,
        missed() {},
      }),
    },
  );
  const caller = await startTrunk({ peer_port: callee.port });
  const call = await caller.call();
  const session = (await call.media())!;
  const far_call = await accepted.promise;
  const far = (await far_call.media)!;
  const levels: number[] = [];
  let digits = '';
  far.onFrame((pcm) => levels.push(Math.max(...pcm)));
  far.onDigit((digit) => {
    digits += digit;
  });
  await bothReceive(session, far);
  return {
    session,
    far: {
      say: (pcm) => far.write(pcm),
      press: (digit) => void far.sendDigits(digit),
      levels: () => levels,
      digits: () => digits,
      hangUp: () => void far_call.hangUp('api_hangup'),
    },
    pass: (ms) => pause(ms, 'audio is played in real time'),
    async done() {
      await caller.stop();
      await callee.stop();
    },
  };
});

/** Waits until each side has received a packet, so that the two streams are locked to each other. */
async function bothReceive(...sessions: MediaSession[]): Promise<void> {
  const locked = () =>
    sessions.every(
      (session) =>
        (session as unknown as { stats(): { packets_received: number } }).stats().packets_received > 0,
    );
  await waitFor('packets of both sides', locked);
}
