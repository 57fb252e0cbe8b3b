// The llm port: a brain that reads a conversation and says the next thing.

export type Turn = { role: 'user' | 'assistant'; content: string };

export type Thought = {
  /** What the agent was told about its task. */
  system_prompt: string;
  /** Oldest first; the last one is the other party's. */
  turns: Turn[];
  language: string;
  /** Null: the provider's own choice. */
  model: string | null;
  signal: AbortSignal;
};

/** A failure of the provider; `retryable` when the same request may succeed later. */
export class LlmFailed extends Error {
  override name = 'LlmFailed';
  readonly retryable: boolean;
  constructor(message: string, options: { retryable: boolean; cause?: unknown }) {
    super(message, { cause: options.cause });
    this.retryable = options.retryable;
  }
}

export type Llm = {
  name: string;
  /** An empty text means that nothing should be said. */
  reply(thought: Thought): Promise<{ text: string }>;
};
