// The llm port: a model that reads a conversation and says the next thing, as text and as calls of tools.

export type ToolCall = { call_id: string; name: string; arguments: unknown };

export type Turn =
  | { role: 'user'; content: string }
  | { role: 'assistant'; content: string; tool_calls?: ToolCall[] }
  /** What became of a tool call of the assistant's turn before. */
  | { role: 'tool'; call_id: string; content: string };

export type Tool = {
  name: string;
  description: string;
  /** JSON Schema of the arguments. */
  parameters: Record<string, unknown>;
};

export type LlmRequest = {
  /** What the agent was told about its task. */
  system_prompt: string;
  /** How to answer on this channel, in our words. */
  channel_instructions?: string;
  /** Oldest first. Empty: the agent opens the conversation. */
  turns: Turn[];
  tools?: Tool[];
  language: string;
  /** Null: the provider's own choice. */
  model: string | null;
  signal: AbortSignal;
};

export type LlmChunk = { text: string } | { tool_call: ToolCall };

export type Llm = {
  name: string;
  capabilities: { tools: boolean };
  /** Pieces in the order in which they were thought. No piece at all means that nothing should be said. */
  reply(thought: LlmRequest): AsyncIterable<LlmChunk>;
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

/** The whole reply at once, for channels where nobody waits for the first word. */
export async function wholeReply(
  llm: Llm,
  thought: LlmRequest,
): Promise<{ text: string; tool_calls: ToolCall[] }> {
  let text = '';
  const tool_calls: ToolCall[] = [];
  for await (const piece of llm.reply(thought)) {
    if ('text' in piece) text += piece.text;
    else tool_calls.push(piece.tool_call);
  }
  return { text, tool_calls };
}
