// The record of every tool call: written before the request leaves, settled with its outcome.
import { hash } from 'node:crypto';
import type { ToolCallStatus } from '@parley/contract/agents/tool-calls';
import type { AgentTool, ToolContext, ToolEffect, ToolOutcome } from '../agent-tool.ts';

export type NewToolCall = Pick<
  ToolContext,
  'organization_id' | 'conversation_id' | 'call_id' | 'agent_id'
> & {
  id: string;
  name: string;
  kind: AgentTool['kind'];
  effect: ToolEffect;
  /** Without the values that must not be stored. */
  arguments: Record<string, unknown>;
  /** The message that is answered; null on a call. */
  message_id: string | null;
  /** Which request to the model asked for it, from 1. */
  round: number;
  arguments_hash: string;
  timeout_ms: number;
};

export type ToolCallRef = Pick<NewToolCall, 'organization_id' | 'id'>;

/** Identifies a call that an earlier run of the same job may have made. */
export type EarlierKey = Required<
  Pick<NewToolCall, 'organization_id' | 'round' | 'name' | 'arguments_hash'>
> & {
  message_id: string;
};

export type EarlierToolCall = {
  id: string;
  status: ToolCallStatus;
  /** Null while it is not known. */
  outcome: ToolOutcome | null;
  /** Of the tool that was approved; null when no approval was needed. */
  tool_sha256?: string | null;
};

export type ToolRecords = {
  /** Resolves when the row is stored. The request may leave only then. */
  begin(call: NewToolCall): Promise<void>;
  /** Returns the outcome that counts: the first one that was stored. */
  settle(call: ToolCallRef, outcome: ToolOutcome, duration_ms: number): Promise<ToolOutcome>;
  earlier(key: EarlierKey): Promise<EarlierToolCall | null>;
  /** The process that started the call is gone: it is unknown whether it was done. */
  wasLost(call: ToolCallRef): Promise<void>;
};

/** The same for arguments that differ only in the order of their keys. */
export const argumentsHash = (input: unknown): string => hash('sha256', sortedJson(input));

function sortedJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(sortedJson).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const entries = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  return `{${entries.map(([key, each]) => `${JSON.stringify(key)}:${sortedJson(each)}`).join(',')}}`;
}

export const redacted_value = '[redacted]';

export const redactArguments = (
  input: Record<string, unknown>,
  redact: readonly string[],
): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(input).map(([key, value]) => [key, redact.includes(key) ? redacted_value : value]),
  );
