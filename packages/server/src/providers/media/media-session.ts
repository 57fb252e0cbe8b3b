// The media port: our side of a live call, as sound that comes in and sound that goes out.

export { frame_ms, frame_samples, line_rate_hz, msOf, samplesOf } from '../../protocols/audio/frames.ts';

export type MediaEnd =
  /** `close` was called. */
  | { by: 'us' }
  /** The other party, or their carrier, hung up. */
  | { by: 'them' }
  | { by: 'failure'; detail: string };

export type MediaSession = {
  /**
   * What the other party says, one frame at a time and silence included: a session fills the gaps of its network, so
   * that a pause can be measured by counting. There is one listener; what came before the first one is kept for it, ten
   * seconds at most. A frame is lent until the listener returns: fifty a second for every call are too many to be new
   * ones, so whoever keeps it keeps a copy.
   */
  onFrame(listener: (pcm: Int16Array) => void): void;
  /** A key that the other party pressed: 0-9, *, #, A-D. */
  onDigit(listener: (digit: string) => void): void;
  /** Each of our frames as it goes out, for the recording. Nothing comes while nothing is played. */
  onPlayed(listener: (pcm: Int16Array) => void): void;

  /** Queues sound of any length, which goes out in real time. The array belongs to the session from now on. */
  write(pcm: Int16Array): void;
  /** Settles when all that was written before has been heard, or when some of it was dropped. */
  mark(): Promise<'played' | 'cleared'>;
  /** Drops what has not been heard yet; the line is silent within 100 ms. */
  clear(): void;
  /** How much of what was written has been heard since the beginning; what was dropped does not count. */
  played_ms(): number;

  /** Presses keys for the other party; resolves when they have been sent. */
  sendDigits(digits: string): Promise<void>;

  close(): void;
  readonly closed: Promise<MediaEnd>;

  /** Simulated lines only: reports to the other side whether our engines compute an answer. */
  reportComputing?(is_computing: boolean): void;
  /** Simulated lines only: whether the other side computes an answer. Its silence is then not counted. */
  peerIsComputing?(): boolean;
};

export const digitPattern = /^[0-9*#A-D]{1,64}$/;
