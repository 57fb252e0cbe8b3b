// The TTS port: text to speech.

export type SpeechRequest = {
  /** One clause or sentence. */
  text: string;
  /** The requested voice. Null, or a name that the provider does not have, selects the provider's default. */
  voice: string | null;
  language: string;
  signal: AbortSignal;
};

export type Tts = {
  name: string;
  capabilities: {
    /** The first audio comes before the last is generated. */
    streaming: boolean;
    /** ISO 639-1 codes, or null when the provider decides. */
    languages: readonly string[] | null;
    /** Voices that are always available; empty when they depend on the account. */
    voices: readonly string[];
  };
  /** Loads the engine before the first call needs it; rejects when it cannot work. */
  ready(): Promise<void>;
  /** 8 kHz PCM in chunks of any length. The work ends when the consumer stops reading. */
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
