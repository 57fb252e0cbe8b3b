// The agent was asked to hold: it does not speak and does not count silence until the other side speaks or its time is over.
import type { MediaClock } from '../../../../providers/media/media-clock.ts';

export type HoldState = {
  /** Null when the agent is not on hold. */
  until_ms: number | null;
  began_ms: number;
  /** How much longer the agent may wait in this conversation. */
  left_ms: number;
};

export const newHold = (limit_seconds: number): HoldState => ({
  until_ms: null,
  began_ms: 0,
  left_ms: limit_seconds * 1000,
});

/** False when the time of this conversation is used up. */
export function startHold(hold: HoldState, clock: Pick<MediaClock, 'ms'>, max_seconds: unknown): boolean {
  endHold(hold, clock);
  if (hold.left_ms <= 0) return false;
  const wanted_ms = typeof max_seconds === 'number' && max_seconds > 0 ? max_seconds * 1000 : hold.left_ms;
  hold.began_ms = clock.ms();
  hold.until_ms = hold.began_ms + Math.min(wanted_ms, hold.left_ms);
  return true;
}

/** How long the agent still waits; 0 when it is not on hold. */
export const remainingHoldMs = ({ until_ms }: HoldState, clock: Pick<MediaClock, 'ms'>): number =>
  until_ms === null ? 0 : Math.max(0, until_ms - clock.ms());

/** True when the agent was on hold. */
export function endHold(hold: HoldState, clock: Pick<MediaClock, 'ms'>): boolean {
  if (hold.until_ms === null) return false;
  hold.left_ms -= Math.max(0, Math.min(clock.ms(), hold.until_ms) - hold.began_ms);
  hold.until_ms = null;
  return true;
}
