// Lets the model answer a text or an email: it may use tools in several rounds before it writes the reply.
import { ApiError } from '../../../../platform/http/api-error.ts';
import type { Ids } from '../../../../platform/ids.ts';
import {
  type Llm,
  LlmFailed,
  type LlmRequest,
  type ToolCall,
  type Turn,
  wholeReply,
} from '../../../../providers/llm/llm.ts';
import { type AgentTool, failed, type ToolContext, type ToolOutcome } from '../agent-tool.ts';
import { startApproved } from '../approvals/run-approved.ts';
import { toolContent, unknown_outcome } from '../records/tool-content.ts';
import { argumentsHash } from '../records/tool-records.ts';
import { runTool } from '../run-tool.ts';
import type { ToolRunnerDeps, ToolUse } from '../tool-attempt.ts';
import { calls_at_once, checkCall, limiter, type ToolList, toolList } from '../tool-list.ts';
import type { ReplyState } from './reply-state.ts';

export const max_rounds = 6;
const reply_timeout_ms = 120_000;
const default_tool_calls = 30;

export type ToolReplyRequest = {
  llm: Llm;
  /** Prompt, language and model. */
  request: Omit<LlmRequest, 'turns' | 'tools' | 'signal'>;
  turns: readonly Turn[];
  tools: readonly AgentTool[];
  context: ToolContext;
  /** The message that is answered. A second run for the same message reuses the tool calls of the first. */
  message_id: string;
  /** Stores the answer until calls are approved. Left out: tools that need an approval are refused. */
  suspend?: (suspension: Suspension) => Promise<void>;
  /** Continues an answer that waited for approvals. */
  resume?: ReplyState | null;
  /** How many tool calls this reply may make. */
  max_tool_calls?: number;
  /** What is wrong with a reply; null: nothing. The model may correct it once. It must not contain words from outside. */
  check?(text: string): string | null;
  signal: AbortSignal;
};

export type Suspension = { state: ReplyState; uses: readonly ToolUse[] };

export type ToolReply = {
  /** Empty: the agent does not answer. */
  text: string;
  /** The calls that were made, in order. */
  used: { name: string; outcome: ToolOutcome }[];
  /** The tool that runs alone and ended the reply, for example `finish`; null when the model wrote to its end. */
  ended_by: string | null;
  /** Calls wait for approvals: there is no answer yet. */
  is_suspended: boolean;
};

/** What a reply needs besides its request. */
export type ToolReplyDeps = ToolRunnerDeps & { ids: Ids };

type Reply = ToolReplyDeps & ToolReplyRequest & { list: ToolList; used: ToolReply['used'] };

/** Rejects when the model fails or the whole reply takes too long; the caller may then try again later. */
export async function replyWithTools(deps: ToolReplyDeps, request: ToolReplyRequest): Promise<ToolReply> {
  const timeout = new AbortController();
  const cancelTimeout = deps.clock.after(reply_timeout_ms, () =>
    timeout.abort(new LlmFailed('the reply took too long', { retryable: true })),
  );
  const reply: Reply = {
    ...deps,
    ...request,
    signal: AbortSignal.any([request.signal, timeout.signal]),
    list: toolList(request.tools, request.max_tool_calls ?? default_tool_calls),
    used: [],
  };
  try {
    return await writeReply(reply);
  } finally {
    cancelTimeout();
  }
}

async function writeReply(reply: Reply): Promise<ToolReply> {
  const { llm, request, list, signal, used, resume } = reply;
  const turns = [...reply.turns, ...(resume?.turns ?? [])];
  const said = [...(resume?.said ?? [])];
  const ended = (text: string, more: Partial<ToolReply> = {}): ToolReply => ({
    text: [...said, text].filter((part) => part.trim() !== '').join('\n'),
    used,
    ended_by: null,
    is_suspended: false,
    ...more,
  });
  let is_corrected = false;
  for (let round = resume?.round ?? 1; ; round++) {
    const tools = llm.capabilities.tools ? list.offered() : [];
    const { text, tool_calls } =
      resume && round === resume.round
        ? resume
        : await wholeReply(llm, { ...request, turns: [...turns], tools, signal });
    if (tool_calls.length === 0 || round === max_rounds) {
      const reply_text = ended(text).text;
      const problem = is_corrected || round === max_rounds ? null : (reply.check?.(reply_text) ?? null);
      if (problem === null) return ended(text);
      is_corrected = true;
      turns.push({ role: 'assistant', content: text }, { role: 'note', content: problem });
      continue;
    }
    const state = { round, text, tool_calls, turns: turns.slice(reply.turns.length), said };
    const outcomes = await runOrSuspend(reply, state);
    if (!outcomes) return ended('', { is_suspended: true });
    signal.throwIfAborted();
    const last = tool_calls.find(
      ({ name }, index) => list.find(name)?.runs_alone && outcomes[index]!.outcome === 'done',
    );
    if (last) return ended(text, { ended_by: last.name });
    addResults(reply, state, outcomes, turns, said);
  }
}

/** The results of a round, for the model. */
function addResults(
  { list }: Reply,
  { text, tool_calls }: ReplyState,
  outcomes: readonly ToolOutcome[],
  turns: Turn[],
  said: string[],
): void {
  turns.push({ role: 'assistant', content: text, tool_calls });
  tool_calls.forEach(({ call_id, name }, index) => {
    const outcome = outcomes[index]!;
    turns.push({ role: 'tool', call_id, content: toolContent(list.find(name), outcome) });
    if (outcome.outcome === 'done' && outcome.say) said.push(outcome.say);
  });
  for (const outcome of outcomes)
    if (outcome.outcome === 'done' && outcome.instruct)
      turns.push({ role: 'note', content: outcome.instruct });
}

/** Null: calls of the round wait for a person, and the others are done. */
async function runOrSuspend(reply: Reply, state: ReplyState): Promise<ToolOutcome[] | null> {
  const results = await runRound(reply, state.tool_calls, state.round);
  reply.signal.throwIfAborted();
  const waiting = results.filter((each) => 'needs_approval' in each);
  const settled = results.filter((each) => 'outcome' in each);
  if (waiting.length === 0) return settled;
  const uses = waiting.flatMap(({ needs_approval }) => (needs_approval ? [needs_approval] : []));
  try {
    if (!reply.suspend) throw new ApiError('not_allowed_by_policy');
    if (uses.length > 0) await reply.suspend({ state, uses });
    return null;
  } catch (error) {
    // For example because too many approvals wait: the model goes on without.
    if (!(error instanceof ApiError)) throw error;
    return results.map((each) =>
      'outcome' in each ? each : failed('approval_denied', `${error.code}: ${error.message}`),
    );
  }
}

/** `null`: it was asked for before. */
type NeedsApproval = { needs_approval: ToolUse | null };

/** Runs the calls of one model turn together, except those that run alone, which follow one by one. The order is the model's. */
async function runRound(
  reply: Reply,
  calls: readonly ToolCall[],
  round: number,
): Promise<(ToolOutcome | NeedsApproval)[]> {
  const run = limiter(calls_at_once);
  const same = new Map<string, Promise<ToolOutcome | NeedsApproval>>();
  const outcomes: Promise<ToolOutcome | NeedsApproval>[] = [];
  const start = (index: number): Promise<ToolOutcome | NeedsApproval> => {
    const call = calls[index]!;
    // A model that asks twice for the same in one turn gets one call.
    const key = `${call.name} ${argumentsHash(call.arguments)}`;
    const outcome = same.get(key) ?? run(() => runCall(reply, call, index, round));
    same.set(key, outcome);
    return outcome;
  };
  const isAlone = (index: number) => reply.list.find(calls[index]!.name)?.runs_alone === true;
  const indexes = calls.map((_, index) => index);
  for (const index of indexes) if (!isAlone(index)) outcomes[index] = start(index);
  await Promise.all(outcomes);
  for (const index of indexes.filter(isAlone)) {
    outcomes[index] = start(index);
    await outcomes[index];
  }
  return Promise.all(outcomes);
}

async function runCall(
  reply: Reply,
  call: ToolCall,
  index: number,
  round: number,
): Promise<ToolOutcome | NeedsApproval> {
  const checked = checkCall(reply.list, call, index);
  if ('outcome' in checked) return checked;
  const { context, message_id } = reply;
  const use: ToolUse = { ...checked, tool_call_id: reply.ids.next(), context, message_id, round };
  const earlier = await earlierOutcome(reply, use);
  if (earlier === 'waiting') return { needs_approval: null };
  if (!earlier && use.tool.approval === 'required') return { needs_approval: use };
  const outcome = earlier ?? (await runTool(reply, use, reply.signal));
  reply.list.settled(call.name, outcome);
  reply.used.push({ name: call.name, outcome });
  return outcome;
}

/** What an earlier run of this job got from the same call. An act that was started is never made again. */
async function earlierOutcome(
  reply: Pick<Reply, keyof ToolReplyDeps | 'signal' | 'message_id'>,
  use: ToolUse,
): Promise<ToolOutcome | 'waiting' | null> {
  const { organization_id } = use.context;
  const earlier = await reply.records.earlier({
    organization_id,
    message_id: reply.message_id,
    round: use.round,
    name: use.tool.name,
    arguments_hash: argumentsHash(use.arguments),
  });
  if (!earlier) return null;
  if (earlier.status === 'waiting_approval') return 'waiting';
  if (earlier.status === 'approved')
    return startApproved(
      reply,
      { ...use, tool_call_id: earlier.id },
      earlier.tool_sha256 ?? null,
      reply.signal,
    );
  if (earlier.outcome && earlier.status !== 'cancelled') return earlier.outcome;
  if (use.tool.effect === 'read') return null;
  if (earlier.status === 'running') await reply.records.wasLost({ organization_id, id: earlier.id });
  return unknown_outcome;
}

/** Makes the approved calls of an answer, also when the answer itself is not written any more. */
export async function runApprovedCalls(
  deps: ToolReplyDeps,
  {
    resume,
    tools,
    context,
    message_id,
    signal,
  }: Pick<ToolReplyRequest, 'tools' | 'context' | 'message_id' | 'signal'> & { resume: ReplyState },
): Promise<void> {
  for (const { name, arguments: input } of resume.tool_calls) {
    const tool = tools.find((each) => each.name === name);
    if (tool?.approval !== 'required' || typeof input !== 'object' || input === null) continue;
    const args = input as Record<string, unknown>;
    const use = { tool, arguments: args, context, message_id, round: resume.round, tool_call_id: '' };
    await earlierOutcome({ ...deps, message_id, signal }, use);
  }
}
