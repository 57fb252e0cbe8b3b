// The phone at the other end of LiveKit's SIP service: our own SIP stack, which answers, refuses and calls as a test says.
import type { MediaSession } from '../../../media/media-session.ts';
import type { InboundDecision } from '../../sip/inbound-call.ts';
import { startTrunk } from '../../sip/testing/trunk.ts';

type Behavior = { kind: 'answer' } | { kind: 'refuse'; status: 404 | 480 | 486 | 603 } | { kind: 'ring' };

/** `peer_port` is the SIP port of LiveKit. */
export async function startPhone(peer_port: number) {
  let behavior: Behavior = { kind: 'answer' };
  const answered: MediaSession[] = [];
  const waiting: ((media: MediaSession) => void)[] = [];
  const decideInbound = async (): Promise<InboundDecision> => {
    if (behavior.kind === 'refuse') return { answer: false, status: behavior.status };
    // Rings for as long as the caller wants.
    if (behavior.kind === 'ring') return new Promise(() => {});
    return {
      answer: true,
      max_duration_ms: 600_000,
      emit() {},
      missed() {},
      accepted: ({ media }) =>
        void media.then((line) => {
          if (!line) return;
          const next = waiting.shift();
          if (next) next(line);
          else answered.push(line);
        }),
    };
  };
  const trunk = await startTrunk({ peer_port, max_calls: 500 }, { decideInbound });
  return {
    ...trunk,
    behave(next: Behavior): void {
      behavior = next;
    },
    /** The line of the next call that was answered. */
    nextLine: (): Promise<MediaSession> => {
      const line = answered.shift();
      return line ? Promise.resolve(line) : new Promise((resolve) => waiting.push(resolve));
    },
  };
}
export type Phone = Awaited<ReturnType<typeof startPhone>>;
