// Phones at the other end of a carrier that has no network: what happens when they ring, and how they call us.
import type { MovableClock } from '../../platform/clock.ts';
import type { MediaClock } from '../media/media-clock.ts';
import type { MediaSession } from '../media/media-session.ts';

export type SandboxPhone = { rings_ms: number } & (
  | {
      answers: true;
      /** Plays the person on their end of the line, until the line is closed. */
      talk(session: MediaSession): Promise<void>;
    }
  | { answers: false; carrier_reports: 'busy' | 'declined' | 'never_answers' | 'unreachable' }
  /** Somebody decides while it rings. */
  | { answers: 'manually'; ring(call: ManualCall): void }
);

/** A call at the phone of somebody who has it in their hand. */
export type ManualCall = {
  /** The one of the call's record. */
  call_id: string;
  from: string;
  to: string;
  /** Picks up; `talk` has the line until it is closed. */
  answer(talk: (session: MediaSession) => Promise<void>): void;
  decline(): void;
  /** Settles when it does not ring any more: answered, declined, given up. */
  over: Promise<void>;
};

export type SandboxPhones = {
  clock: MediaClock;
  /** The service's time, which the sandbox moves: how long a phone rings follows it. */
  service_clock: Pick<MovableClock, 'ms' | 'offset_ms'>;
  phoneAt(number: string): SandboxPhone;
};

/** `talk` plays the caller, with the id of the call's record. */
export type InboundCall = {
  from: string;
  to: string;
  talk(session: MediaSession, call_id: string): Promise<void>;
};
