// The media port's promises over real SIP and RTP, between two trunks of ours.

import { pause, waitFor } from '../../../../testing/wait-for.ts';
import { mediaSessionConformance } from '../../media/conformance.ts';
import type { MediaSession } from '../../media/media-session.ts';
import type { SipCall } from './call.ts';
import { startTrunk } from './testing/trunk.ts';

mediaSessionConformance('rtp', async () => {
  const taken = Promise.withResolvers<SipCall>();
  const callee = await startTrunk(
    // The callee calls nobody; its trunk is whoever may call it.
    { peer_port: 9 },
    {
      decideInbound: async () => ({
        answer: true,
        max_duration_ms: 60_000,
        emit() {},
        taken: taken.resolve,
        missed() {},
      }),
    },
  );
  const caller = await startTrunk({ peer_port: callee.port });
  const call = await caller.call();
  const session = (await call.media())!;
  const far_call = await taken.promise;
  const far = (await far_call.media)!;
  const heard: number[] = [];
  let digits = '';
  far.onFrame((pcm) => heard.push(Math.max(...pcm)));
  far.onDigit((digit) => {
    digits += digit;
  });
  await bothHear(session, far);
  return {
    session,
    far: {
      say: (pcm) => far.write(pcm),
      press: (digit) => void far.sendDigits(digit),
      heard: () => heard,
      digits: () => digits,
      hangUp: () => void far_call.hangUp('api_hangup'),
    },
    pass: (ms) => pause(ms, 'audio takes its time'),
    async done() {
      await caller.stop();
      await callee.stop();
    },
  };
});

/** Until the first packet of each side has come, and the two streams are locked to each other. */
async function bothHear(...sessions: MediaSession[]): Promise<void> {
  const locked = () =>
    sessions.every(
      (session) =>
        (session as unknown as { stats(): { packets_received: number } }).stats().packets_received > 0,
    );
  await waitFor('packets of both sides', locked);
}
