// Where an answer stands that waits for the approval of tool calls.
import type { ToolCall, Turn } from '../../../../providers/llm/llm.ts';

export type ReplyState = {
  /** The round whose calls wait, from 1. */
  round: number;
  /** What the model wrote in this round, and the calls that it made. */
  text: string;
  tool_calls: ToolCall[];
  /** The turns of earlier rounds, after those of the conversation. */
  turns: Turn[];
  /** Sentences of tools that the answer begins with. */
  said: string[];
};
