// The clock of the service. It is passed in everywhere, so that the sandbox or a test can move it forward.

export type Clock = {
  now(): Date;
  /** Milliseconds since 1970, without creating a Date. */
  ms(): number;
};

export type MovableClock = Clock & {
  /** How far this clock is ahead of the system clock. */
  offset_ms(): number;
  moveTo(offset_ms: number): void;
};

export function systemClock(): MovableClock {
  let offset = 0;
  return {
    now: () => new Date(Date.now() + offset),
    ms: () => Date.now() + offset,
    offset_ms: () => offset,
    moveTo(offset_ms) {
      offset = offset_ms;
    },
  };
}

let last_ms = Number.NaN;
let last_text = '';
/** Caches the text of the last millisecond: under load many records share it. */
export function isoTime(ms: number): string {
  if (ms !== last_ms) {
    last_text = new Date(ms).toISOString();
    last_ms = ms;
  }
  return last_text;
}
