// The stt port: turns what a party says into text, one turn after the other.

export type SttSession = {
  /** More of the current turn, in order. */
  push(pcm: Int16Array): void;
  /** What was said in this turn, up to all that was pushed before. May be asked more than once in a turn. */
  text(): Promise<string>;
  /** The turn is over; what is pushed from now on belongs to the next. */
  nextTurn(): void;
  close(): void;
};

export type Stt = {
  name: string;
  capabilities: {
    /** Works while the party still speaks, so that the end of a long turn costs no more than that of a short one. */
    streaming: boolean;
    /** ISO 639-1 codes, or null when the provider decides. */
    languages: readonly string[] | null;
  };
  /** Loads what the engine needs, so that the first call does not wait for it; fails when it cannot work at all. */
  ready(): Promise<void>;
  open(options: { language: string }): SttSession;
  /** True while recognition lags so far behind that a new call should wait. */
  isBehind(): boolean;
  close(): Promise<void>;
};

/** A failure of the provider; `retryable` when the same request may succeed later. */
export class SttFailed extends Error {
  override name = 'SttFailed';
  readonly retryable: boolean;
  constructor(message: string, options: { retryable: boolean; cause?: unknown }) {
    super(message, { cause: options.cause });
    this.retryable = options.retryable;
  }
}
