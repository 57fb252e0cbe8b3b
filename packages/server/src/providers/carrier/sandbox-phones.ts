// The simulated phones of the sandbox carrier: what happens when they ring, and how they call us.
import type { MovableClock } from '../../platform/clock.ts';
import type { MediaClock } from '../media/media-clock.ts';
import type { MediaSession } from '../media/media-session.ts';

export type SandboxPhone = { rings_ms: number } & (
  | {
      answers: true;
      /** Simulates the person at this phone until the line is closed. */
      talk(session: MediaSession): Promise<void>;
    }
  | { answers: false; carrier_reports: 'busy' | 'declined' | 'never_answers' | 'unreachable' }
  /** A developer answers or declines it while it rings. */
  | { answers: 'manually'; ring(call: ManualCall): void }
);

/** A ringing call at a phone that a developer operates. */
export type ManualCall = {
  /** The id of the call's record. */
  call_id: string;
  from: string;
  to: string;
  /** Answers the call; `talk` uses the line until it is closed. */
  answer(talk: (session: MediaSession) => Promise<void>): void;
  decline(): void;
  /** Resolves when the phone stops ringing: answered, declined or canceled. */
  stopped_ringing: Promise<void>;
};

export type SandboxPhones = {
  clock: MediaClock;
  /** The service's clock, which the sandbox can move. The ringing time follows it. */
  service_clock: Pick<MovableClock, 'ms' | 'offset_ms'>;
  phoneAt(number: string): SandboxPhone;
};

/** A simulated call to one of our numbers. `talk` simulates the caller. */
export type InboundCall = {
  from: string;
  to: string;
  talk(session: MediaSession, call_id: string): Promise<void>;
};
