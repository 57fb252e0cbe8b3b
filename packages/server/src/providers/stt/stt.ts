// The STT port: speech to text, one turn of a party after the other.

export type SttSession = {
  /** Adds audio to the current turn, in order. The buffer may be reused afterwards. */
  push(pcm: Int16Array): void;
  /** The text of this turn so far, including all audio that was pushed before. May be called several times in a turn. */
  text(): Promise<string>;
  /** The part of this turn that is recognized already, without waiting. Engines that recognize only whole turns leave it out. */
  interim?(): string;
  /** Ends the turn: audio that is pushed from now on belongs to the next one. */
  nextTurn(): void;
  close(): void;
};

export type Stt = {
  name: string;
  capabilities: {
    /** Transcribes while the party still speaks, so that the text of a long turn is ready as fast as that of a short one. */
    streaming: boolean;
    /** ISO 639-1 codes, or null when the provider decides. */
    languages: readonly string[] | null;
  };
  /** Loads the engine before the first call needs it; rejects when it cannot work. */
  ready(): Promise<void>;
  open(options: { language: string }): SttSession;
  /** True while recognition is so late that new calls should wait. */
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
