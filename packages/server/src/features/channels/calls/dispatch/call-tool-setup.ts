// The tools of the agent on one call, bound to the records of the service.
import type { Ids } from '../../../../platform/ids.ts';
import type { Log } from '../../../../platform/log.ts';
import type { RecordTrace } from '../../../../platform/tracing/trace-below.ts';
import type { MediaClock } from '../../../../providers/media/media-clock.ts';
import { type AgentRuntime, runTool, type ToolContext } from '../../../agents/runtime/index.ts';
import type { CallToolSetup, ToolHost } from '../conversation/tools/call-tools.ts';
import { type LineToolName, lineToolNames } from '../conversation/tools/line-tools.ts';
import { transferTool } from '../conversation/transfer/transfer-tool.ts';
import type { RunningCall } from './progress/progress-store.ts';

export type ToolSetupDeps = {
  agent_runtime: Pick<AgentRuntime, 'tools' | 'records' | 'approvals'>;
  media_clock: MediaClock;
  ids: Ids;
  log: Log;
  trace?: RecordTrace | null;
};

export async function callToolSetup(deps: ToolSetupDeps, call: RunningCall): Promise<CallToolSetup> {
  const { plan } = call;
  const context = contextOf(call);
  // The tools are built before the conversation begins, and asked during it.
  let host: ToolHost | null = null;
  const tools = await deps.agent_runtime.tools({
    ...plan,
    context,
    item_id: call.id,
    personTurns: () => host?.personTurns() ?? [],
  });
  const { records, approvals } = deps.agent_runtime;
  const runner = { records, approvals, clock: deps.media_clock, log: deps.log, trace: deps.trace ?? null };
  return {
    line: lineOf(call),
    more(of) {
      host = of;
      const transfer = plan.tools.some(({ type }) => type === 'transfer_call')
        ? transferTool(plan, of.transfer)
        : null;
      return transfer ? [...tools, transfer] : tools;
    },
    run: (use, signal) => runTool(runner, { ...use, context, message_id: null }, signal),
    nextId: deps.ids.next,
    limits: plan.limits,
  };
}

const lineOf = ({ plan }: RunningCall): LineToolName[] =>
  lineToolNames.filter((name) => plan.tools.some(({ type }) => type === name));

function contextOf({
  id,
  organization_id,
  agent_id,
  conversation_id,
  direction,
  from,
  to,
}: RunningCall): ToolContext {
  const is_outbound = direction === 'outbound';
  const other = is_outbound ? to : from;
  return {
    organization_id,
    agent_id,
    channel: 'call',
    conversation_id,
    call_id: id,
    direction,
    // A caller may hide its number.
    person: other?.startsWith('+') ? other : null,
    own: is_outbound ? from : to,
  };
}
