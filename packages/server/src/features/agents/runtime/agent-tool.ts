// What a tool of an agent is: what the model sees of it, how it runs, and what it can return.

import type { ToolApproval } from '@parley/contract/agents/agent-fields';

/** `act` changes something outside, so it is never repeated without being asked for; `read` changes nothing. */
export type ToolEffect = 'read' | 'act';

export type ToolFailure =
  | 'timeout'
  | 'refused'
  | 'unreachable'
  | 'invalid_arguments'
  | 'invalid_result'
  | 'not_allowed'
  | 'cancelled'
  | 'limit_reached'
  | 'input_required'
  | 'approval_denied';

export type ToolOutcome =
  | {
      outcome: 'done';
      /** Compact JSON or text for the model, at most `max_content_chars`. */
      content: string;
      /** Spoken word for word before the model continues. */
      say?: string;
      /** Given to the model as a note of the organization. */
      instruct?: string;
    }
  | { outcome: 'failed'; error: ToolFailure; detail: string };

/** What the agent says while the tool runs. */
export type ToolSpeech = {
  start: string | null;
  slow_after_ms: number;
  slow: string[];
  failed: string | null;
};

export type ToolContext = {
  organization_id: string;
  agent_id: string | null;
  channel: 'call' | 'sms' | 'email';
  conversation_id: string;
  call_id: string | null;
  direction: 'inbound' | 'outbound';
  /** The number or address of the other party; null when it hides its number. */
  person: string | null;
  /** Our own number or address. */
  own: string | null;
};

export type ToolRequest = { tool_call_id: string; arguments: Record<string, unknown>; signal: AbortSignal };

export type AgentTool = {
  name: string;
  description: string;
  /** JSON Schema of the arguments. */
  parameters: Record<string, unknown>;
  kind: 'built_in' | 'http' | 'mcp' | 'client';
  effect: ToolEffect;
  timeout_ms: number;
  /** Null: the fixed phrases of the language. */
  speech: ToolSpeech | null;
  /** Names of arguments that must not be stored or published. */
  redact: readonly string[];
  /** Runs last and alone in its round, for example to end the call. */
  runs_alone: boolean;
  /** `required`: a person approves each call. Default: none. */
  approval?: ToolApproval | undefined;
  /** What the tool does besides its schema, such as its address. An approval is not valid for another one. */
  identity?: string;
  /** Makes one attempt. A rejection counts as `unreachable`. */
  run(request: ToolRequest): Promise<ToolOutcome>;
};

export const max_content_chars = 8000;

export const failed = (error: ToolFailure, detail: string): ToolOutcome => ({
  outcome: 'failed',
  error,
  detail,
});
