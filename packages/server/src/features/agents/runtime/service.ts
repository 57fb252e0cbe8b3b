// Lists tool calls and takes the answers of client tools.

import type { ToolResult } from '@parley/contract/agents/tool-calls';
import { isFinalCall } from '@parley/contract/channels/calls/call-records';
import type { Clock } from '../../../platform/clock.ts';
import { ApiError } from '../../../platform/http/api-error.ts';
import type { UnitOfWork } from '../../../platform/unit-of-work/unit-of-work.ts';
import { failed, type ToolOutcome } from './agent-tool.ts';
import { settle } from './records/stored-tool-records.ts';
import { cleanText } from './records/tool-content.ts';
import type { ToolCallFilter, ToolCallStore } from './store.ts';

export type ToolCallServiceDeps = {
  store: ToolCallStore;
  unitOfWork: UnitOfWork;
  clock: Clock;
  /** After the commit: the process that leads the call can go on. */
  answered(tool_call_id: string): void;
};

export const toolCallService = (deps: ToolCallServiceDeps) => ({
  list: (organization_id: string, filter: ToolCallFilter) => deps.store.list(organization_id, filter),
  answer: (organization_id: string, call_id: string, result: ToolResult) =>
    answer(deps, organization_id, call_id, result),
  answerInConversation: (organization_id: string, conversation_id: string, result: ToolResult) =>
    answerInConversation(deps, organization_id, conversation_id, result),
});
export type ToolCallService = ReturnType<typeof toolCallService>;

async function answer(
  deps: ToolCallServiceDeps,
  organization_id: string,
  call_id: string,
  result: ToolResult,
): Promise<{ tool_call_id: string; status: 'accepted' }> {
  const { tool_call_id } = result;
  const tool_call = await deps.store.asked(organization_id, call_id, tool_call_id);
  if (!tool_call) throw new ApiError('not_found');
  // The call may have ended with the tool still open; otherwise the first answer or the timeout came before.
  if (!(await isFirst(deps, organization_id, tool_call, result)))
    throw new ApiError(
      isFinalCall(tool_call.call_status) ? 'call_already_ended' : 'tool_call_already_settled',
    );
  return { tool_call_id, status: 'accepted' };
}

async function answerInConversation(
  deps: ToolCallServiceDeps,
  organization_id: string,
  conversation_id: string,
  result: ToolResult,
): Promise<{ tool_call_id: string; status: 'accepted' }> {
  const { tool_call_id } = result;
  const tool_call = await deps.store.askedInMessage(organization_id, conversation_id, tool_call_id);
  if (!tool_call) throw new ApiError('not_found');
  if (!(await isFirst(deps, organization_id, tool_call, result)))
    throw new ApiError('tool_call_already_settled');
  return { tool_call_id, status: 'accepted' };
}

async function isFirst(
  deps: ToolCallServiceDeps,
  organization_id: string,
  { requested_at }: { requested_at: Date },
  result: ToolResult,
): Promise<boolean> {
  const { tool_call_id: id } = result;
  const duration_ms = Math.max(0, deps.clock.ms() - requested_at.getTime());
  if (!(await settle(deps, { organization_id, id }, outcomeOf(result), duration_ms))) return false;
  deps.answered(id);
  return true;
}

function outcomeOf({ result, error, say }: ToolResult): ToolOutcome {
  if (error !== undefined) return failed('refused', cleanText(error));
  const content = cleanText(JSON.stringify(result ?? null));
  return { outcome: 'done', content, ...(say === undefined ? {} : { say }) };
}
