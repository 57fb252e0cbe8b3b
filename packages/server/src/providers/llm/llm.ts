// The LLM port: a language model that reads a conversation and replies with text and tool calls.

export type ToolCall = { call_id: string; name: string; arguments: unknown };

export type Turn =
  | { role: 'user'; content: string }
  | { role: 'assistant'; content: string; tool_calls?: ToolCall[] }
  /** The result of a tool call from the assistant's turn before. */
  | { role: 'tool'; call_id: string; content: string }
  /**
   * An instruction of the service or of an API caller in the middle of the conversation. Words of the other party and
   * results of tools must never become a note.
   */
  | { role: 'note'; content: string };

export type Tool = {
  name: string;
  description: string;
  /** JSON Schema of the arguments. */
  parameters: Record<string, unknown>;
};

/** `required`: any of the tools. A name: exactly this tool. */
export type ToolChoice = 'auto' | 'none' | 'required' | { name: string };

export type LlmRequest = {
  /** The agent's instructions, as its owner wrote them. */
  system_prompt: string;
  /** Our own instructions for this channel, for example: answer briefly on the phone. */
  channel_instructions?: string;
  /** Oldest first. Empty: the agent opens the conversation. */
  turns: Turn[];
  tools?: Tool[];
  /** Default: auto. */
  tool_choice?: ToolChoice;
  /** From 0 to 2. Default: the provider's. */
  temperature?: number;
  max_output_tokens?: number;
  /**
   * The reply is one JSON document with this schema, which is in the part of JSON Schema that `checkSchema` accepts.
   * Only for models with `capabilities.structured`. The caller still validates the reply.
   */
  response_schema?: Record<string, unknown>;
  language: string;
  /** Null: the provider's default model. */
  model: string | null;
  signal: AbortSignal;
};

export type LlmUsage = {
  /** All of them, also those that the provider read from its cache. */
  input_tokens: number;
  output_tokens: number;
  /** Left out: none, or the provider does not say. */
  cached_input_tokens?: number;
};

export type LlmChunk =
  | { text: string }
  | { tool_call: ToolCall }
  /** At most once in a reply. `model`: the one that replied, as the provider names it. */
  | { usage: LlmUsage; model?: string }
  /** The reply ended early: its length reached the limit, or the model refused to go on. */
  | { stopped: 'length' | 'refused' };

export type Llm = {
  name: string;
  /** The default model, where the provider has one. */
  model?: string;
  /** `structured`: `response_schema` is supported. */
  capabilities: { tools: boolean; structured?: boolean };
  /** Chunks in the order of the reply. No chunk at all means that nothing should be said. */
  reply(request: LlmRequest): AsyncIterable<LlmChunk>;
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

export type WholeReply = {
  text: string;
  tool_calls: ToolCall[];
  usage: LlmUsage | null;
  stopped: 'length' | 'refused' | null;
};

/** Collects the whole reply, for channels without streaming such as SMS. */
export async function wholeReply(llm: Llm, request: LlmRequest): Promise<WholeReply> {
  const whole: WholeReply = { text: '', tool_calls: [], usage: null, stopped: null };
  for await (const chunk of llm.reply(request)) {
    if ('text' in chunk) whole.text += chunk.text;
    else if ('tool_call' in chunk) whole.tool_calls.push(chunk.tool_call);
    else if ('usage' in chunk) whole.usage = chunk.usage;
    else whole.stopped = chunk.stopped;
  }
  return whole;
}
