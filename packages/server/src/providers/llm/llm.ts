// The LLM port: a language model that reads a conversation and replies with text and tool calls.

export type ToolCall = { call_id: string; name: string; arguments: unknown };

export type Turn =
  | { role: 'user'; content: string }
  | { role: 'assistant'; content: string; tool_calls?: ToolCall[] }
  /** The result of a tool call from the assistant's turn before. */
  | { role: 'tool'; call_id: string; content: string };

export type Tool = {
  name: string;
  description: string;
  /** JSON Schema of the arguments. */
  parameters: Record<string, unknown>;
};

export type LlmRequest = {
  /** The agent's instructions, as its owner wrote them. */
  system_prompt: string;
  /** Our own instructions for this channel, for example: answer briefly on the phone. */
  channel_instructions?: string;
  /** Oldest first. Empty: the agent opens the conversation. */
  turns: Turn[];
  tools?: Tool[];
  language: string;
  /** Null: the provider's default model. */
  model: string | null;
  signal: AbortSignal;
};

export type LlmChunk = { text: string } | { tool_call: ToolCall };

export type Llm = {
  name: string;
  capabilities: { tools: boolean };
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

/** Collects the whole reply, for channels without streaming such as SMS. */
export async function wholeReply(
  llm: Llm,
  request: LlmRequest,
): Promise<{ text: string; tool_calls: ToolCall[] }> {
  let text = '';
  const tool_calls: ToolCall[] = [];
  for await (const chunk of llm.reply(request)) {
    if ('text' in chunk) text += chunk.text;
    else tool_calls.push(chunk.tool_call);
  }
  return { text, tool_calls };
}
