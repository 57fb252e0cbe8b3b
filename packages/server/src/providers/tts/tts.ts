// The tts port: speaks a text.

export type SpeechRequest = {
  /** One clause or sentence. */
  text: string;
  /** As the caller named it; null, or a name the provider does not know, means the provider's default. */
  voice: string | null;
  language: string;
  signal: AbortSignal;
};

export type Tts = {
  name: string;
  capabilities: {
    /** The first sound comes before the last has been made. */
    streaming: boolean;
    /** ISO 639-1 codes, or null when the provider decides. */
    languages: readonly string[] | null;
    /** Names that are always understood; empty when they are the account's own. */
    voices: readonly string[];
  };
  /** Loads what the engine needs, so that the first call does not wait for it; fails when it cannot work at all. */
  ready(): Promise<void>;
  /** Sound at the rate of the line, in pieces of any length. Asking for no more pieces ends the work. */
  speak(request: SpeechRequest): AsyncIterable<Int16Array>;
  close(): Promise<void>;
};

/** A failure of the provider; `retryable` when the same request may succeed later. */
export class TtsFailed extends Error {
  override name = 'TtsFailed';
  readonly retryable: boolean;
  constructor(message: string, options: { retryable: boolean; cause?: unknown }) {
    super(message, { cause: options.cause });
    this.retryable = options.retryable;
  }
}
