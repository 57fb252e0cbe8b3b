// The media port: our side of a live call, with incoming and outgoing audio.

export { frame_ms, frame_samples, line_rate_hz, msOf, samplesOf } from '../../protocols/audio/frames.ts';

export type MediaEnd =
  /** `close` was called. */
  | { by: 'us' }
  /** The other party, or their carrier, hung up. */
  | { by: 'them' }
  | { by: 'failure'; detail: string };

export type MediaSession = {
  /**
   * The audio of the other party, one frame at a time, silence included: a session fills gaps of the network, so that
   * the listener can measure a pause by counting frames. There is one listener; up to ten seconds of audio from before
   * it was set are buffered for it. The frame's buffer is reused after the listener returns (50 frames per second and
   * call are too many allocations), so a listener that stores a frame must copy it.
   */
  onFrame(listener: (pcm: Int16Array) => void): void;
  /** A key that the other party pressed: 0-9, *, #, A-D. */
  onDigit(listener: (digit: string) => void): void;
  /** Each of our frames when it is played, for the recording. Not called while nothing is played. */
  onPlayed(listener: (pcm: Int16Array) => void): void;

  /** Queues audio of any length, which is played in real time. The session owns the array from now on. */
  write(pcm: Int16Array): void;
  /** Settles when all audio that was written before has been played, or when some of it was dropped. */
  mark(): Promise<'played' | 'cleared'>;
  /** Drops audio that has not been played yet; the line is silent within 100 ms. */
  clear(): void;
  /** How much audio was played since the start of the call, without dropped audio. */
  played_ms(): number;

  /** Sends DTMF digits to the other party; resolves when they have been sent. */
  sendDigits(digits: string): Promise<void>;

  /** Ends the call. */
  close(): void;
  /** Stops using the line without ending the call at the carrier. Absent where the line exists only in this process. */
  leave?(): void;
  readonly closed: Promise<MediaEnd>;

  /** Simulated lines only: reports to the other side whether our engines compute an answer. */
  reportComputing?(is_computing: boolean): void;
  /** Simulated lines only: whether the other side computes an answer. Its silence is then not counted. */
  peerIsComputing?(): boolean;
};

export const digitPattern = /^[0-9*#A-D]{1,64}$/;
