// The runtime of agents: what a tool is, how calls of tools run and are recorded, and how replies use them.
import type { Clock } from '../../../platform/clock.ts';
import type { Sealer } from '../../../platform/crypto.ts';
import type { Database } from '../../../platform/db/database.ts';
import type { SealedColumn } from '../../../platform/db/rewrap.ts';
import type { Ids } from '../../../platform/ids.ts';
import type { JobHandler, Jobs } from '../../../platform/jobs.ts';
import type { Log } from '../../../platform/log.ts';
import type { Tracing } from '../../../platform/tracing/trace.ts';
import type { UnitOfWork } from '../../../platform/unit-of-work/unit-of-work.ts';
import type { Wake } from '../../../platform/wake.ts';
import { realTimeClock } from '../../../providers/media/media-clock.ts';
import { conversationThreads } from '../../inbox/conversations/index.ts';
import type { ConsentRevocations } from '../../rules/consents/index.ts';
import { type AgentToolDeps, type AgentToolSetup, agentTools, type ToolSource } from './agent-tools.ts';
import { type ApprovalRequests, toolApprovals } from './approvals/tool-approvals.ts';
import type { MessageSender } from './built-in/message-tools.ts';
import { clientAnswers } from './client-tools/client-answers.ts';
import { suspendedStore } from './client-tools/suspended-store.ts';
import { storedToolRecords, wasLost } from './records/stored-tool-records.ts';
import { replyWithTools, runApprovedCalls, type ToolReplyRequest } from './replies/reply-with-tools.ts';
import { toolCallRoutes } from './routes.ts';
import { toolCallService } from './service.ts';
import { type ToolCallStore, toolCallStore } from './store.ts';
import { newCallOf } from './tool-attempt.ts';

export {
  type AgentTool,
  failed,
  max_content_chars,
  type ToolContext,
  type ToolEffect,
  type ToolFailure,
  type ToolOutcome,
  type ToolRequest,
  type ToolSpeech,
} from './agent-tool.ts';
export type { AgentToolSetup, ToolSource } from './agent-tools.ts';
export { call_wait_seconds, resume_job, resumeJob } from './approvals/tool-approvals.ts';
export { builtInTool, done, withCheckedArguments } from './built-in/built-in-tool.ts';
export { foreignHosts, linkProblem } from './built-in/link-hosts.ts';
export type { MessageSender, WrittenMessage } from './built-in/message-tools.ts';
export { agentRuntimePersonalData } from './personal-data-store.ts';
export { cleanText, hideSecrets, toolContent } from './records/tool-content.ts';
export { type NewToolCall, redactArguments, type ToolRecords } from './records/tool-records.ts';
export type { ReplyState } from './replies/reply-state.ts';
export { replyWithTools, type ToolReply, type ToolReplyRequest } from './replies/reply-with-tools.ts';
export { runTool } from './run-tool.ts';
export { attemptTool, type ToolRunnerDeps, type ToolUse } from './tool-attempt.ts';
export {
  calls_at_once,
  checkCall,
  limiter,
  max_calls_per_round,
  type ToolList,
  toolList,
} from './tool-list.ts';

export type AgentRuntimeDeps = {
  messages: MessageSender;
  revocations: Pick<ConsentRevocations, 'revoke' | 'suspect'>;
  /** HTTP and MCP tools, and others that features add. */
  tool_sources: readonly ToolSource[];
  db: Database;
  unitOfWork: UnitOfWork;
  clock: Clock;
  ids: Ids;
  log: Log;
  wake: Pick<Wake, 'notify' | 'on'>;
  jobs: Pick<Jobs, 'enqueue' | 'wake'>;
  sealer: Sealer;
  approvals: ApprovalRequests;
  tracing: Tracing | null;
};

export function agentRuntimeFeature(deps: AgentRuntimeDeps) {
  const store = toolCallStore(deps.db);
  const records = storedToolRecords({ ...deps, store });
  const answers = clientAnswers({ ...deps, store });
  const countUses: AgentToolDeps['countUses'] = (context, name, except) =>
    store.countUses(context, name, { since: new Date(deps.clock.ms() - 3_600_000), except });
  const linkHosts: AgentToolDeps['linkHosts'] = ({ organization_id, agent_id }) =>
    agent_id === null ? Promise.resolve([]) : store.linkHosts(organization_id, agent_id);
  const suspended = suspendedStore(deps);
  const approvals = toolApprovals({ ...deps, store, suspended });
  const runner = { ...deps, approvals, records, clock: realTimeClock(), trace: deps.tracing };
  return {
    routes: [
      toolCallRoutes(
        toolCallService({ ...deps, store, answered: answers.answered }),
        conversationThreads(deps.db).threadsOf,
      ),
    ],
    jobs: [sweepJob({ ...deps, store })],
    records,
    answers,
    /** Asks people about tool calls, and waits for their decisions. */
    approvals,
    waiting_records: { tool_call: approvals.port },
    /** The tools of an agent in a conversation, without those of the channel itself. */
    tools: (setup: AgentToolSetup) =>
      agentTools(
        {
          ...deps,
          sources: deps.tool_sources,
          answers,
          countUses,
          linkHosts,
          coverActs: deps.approvals.coverActs,
        },
        setup,
      ),
    /**
     * For a text or an email: the model may use these tools before it writes the reply. `continuation`: the payload for the
     * job that continues a reply whose tool calls wait for approvals.
     */
    reply: ({ continuation, ...request }: MessageReplyRequest) =>
      replyWithTools(runner, {
        ...request,
        suspend: ({ state, uses }) =>
          deps.db.transaction(async (tx) => {
            const { organization_id } = request.context;
            const reply = { round: state.round, request: continuation, state };
            await suspended.put(tx, organization_id, request.message_id, reply);
            for (const use of uses) await approvals.ask(tx, newCallOf(use), use);
          }),
      }),
    suspended: suspended.find,
    /** Before a suspended reply continues, and also when nothing is written any more: what was approved is done. */
    runApproved: (request: Parameters<typeof runApprovedCalls>[1]) => runApprovedCalls(runner, request),
    /** The reply went on. */
    forgetSuspended: suspended.delete,
  };
}
export type MessageReplyRequest = Omit<ToolReplyRequest, 'suspend'> & {
  continuation: Record<string, unknown>;
};

export const agent_runtime_sealed_columns: readonly SealedColumn[] = [
  { table: 'suspended_replies', column: 'state_sealed' },
];

export type AgentRuntime = ReturnType<typeof agentRuntimeFeature>;

/** A call whose process is gone gets the status `unknown`. It is never made again. */
const sweepJob = (
  deps: Pick<AgentRuntimeDeps, 'unitOfWork' | 'clock'> & { store: ToolCallStore },
): JobHandler => ({
  kind: 'sweep_tool_calls',
  every_seconds: 30,
  async run(_, signal) {
    for (let lost = await deps.store.lost(deps.clock.now()); lost.length > 0; ) {
      for (const { status, ...ref } of lost)
        await wasLost(deps, ref, status === 'running' ? 'was_lost' : 'was_abandoned');
      signal.throwIfAborted();
      lost = await deps.store.lost(deps.clock.now());
    }
  },
});
