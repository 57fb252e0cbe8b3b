// The SQL of tool calls.
import {
  type ToolCallRecord,
  type ToolCallStatus,
  toolCallLifecycle,
} from '@parley/contract/agents/tool-calls';
import type { Database, Queryable } from '../../../platform/db/database.ts';
import { cursors, type PageRequest, readPage } from '../../../platform/db/page.ts';
import { sql } from '../../../platform/db/sql.ts';
import { table } from '../../../platform/db/table.ts';
import { insert, move } from '../../../platform/unit-of-work/unit-of-work.ts';
import type { ToolContext, ToolOutcome } from './agent-tool.ts';
import type { AskedCall } from './records/tool-payload.ts';
import type { EarlierKey, EarlierToolCall, NewToolCall, ToolCallRef } from './records/tool-records.ts';

export type ToolCallRow = Omit<NewToolCall, 'timeout_ms'> & {
  status: ToolCallStatus;
  outcome: ToolOutcome | null;
  /** Null: no person had to approve it. */
  approval_id: string | null;
  tool_sha256: string | null;
  requested_at: string;
  lost_at: string;
  settled_at: string | null;
  duration_ms: number | null;
};

const tool_calls = table<'tool_calls', ToolCallRow, typeof toolCallLifecycle>(
  'tool_calls',
  {
    organization_id: 'uuid',
    id: 'uuid',
    conversation_id: 'uuid',
    call_id: 'uuid',
    agent_id: 'uuid',
    name: 'text',
    kind: 'text',
    effect: 'text',
    arguments: 'json',
    status: 'text',
    outcome: 'json',
    message_id: 'uuid',
    round: 'int',
    arguments_hash: 'text',
    approval_id: 'uuid',
    tool_sha256: 'text',
    requested_at: 'timestamptz',
    lost_at: 'timestamptz',
    settled_at: 'timestamptz',
    duration_ms: 'int',
  },
  { lifecycle: toolCallLifecycle },
);

type WaitingCall = AskedCall & { message_id: string | null; approval_id: string };

export type ToolCallFilter = PageRequest & {
  call_id?: string | undefined;
  conversation_ids?: readonly string[] | undefined;
  status?: string | undefined;
};

export const newToolCall = (row: ToolCallRow) => insert(tool_calls, row);

export const movedToolCall = (
  ref: ToolCallRef,
  trigger: keyof typeof toolCallLifecycle.moves,
  set: Pick<Partial<ToolCallRow>, 'outcome' | 'settled_at' | 'duration_ms' | 'lost_at'>,
) => move(tool_calls, trigger, ref, set);

/** What was not refused counts for limits, also while a person decides. */
const used_statuses = sql`('running', 'done', 'unknown', 'waiting_approval', 'approved')`;

const list = cursors('tool_calls');
const result_chars = 2000;
const sweep_batch = 500;
/** A thread of texts or emails has no end, so its limits are those of a day. */
const day_ms = 86_400_000;

const record_columns = sql`id, organization_id, conversation_id, call_id, agent_id, name, kind, effect, arguments, status,
  approval_id, outcome->>'error' as error, outcome->>'detail' as detail, left(outcome->>'content', ${result_chars}) as result,
  iso(requested_at) as requested_at, iso(settled_at) as settled_at, duration_ms`;

export const toolCallStore = (db: Database) => ({
  list: (organization_id: string, { call_id, conversation_ids, status, ...page }: ToolCallFilter) =>
    readPage<ToolCallRecord>(db, list, page, {
      columns: record_columns,
      from: sql`tool_calls`,
      where: sql`organization_id = ${organization_id}
        ${call_id === undefined ? sql.empty : sql`and call_id = ${call_id}`}
        ${conversation_ids === undefined ? sql.empty : sql`and conversation_id = any(${conversation_ids}::uuid[])`}
        ${status === undefined ? sql.empty : sql`and status = ${status}`}`,
    }),

  /** The last call with the same arguments for the same message and round. */
  earlier: (key: EarlierKey) =>
    db.maybe<EarlierToolCall>(sql`
      select id, status, outcome, tool_sha256 from tool_calls
       where organization_id = ${key.organization_id} and message_id = ${key.message_id} and round = ${key.round}
         and name = ${key.name} and arguments_hash = ${key.arguments_hash}
       order by id desc limit 1`),

  outcome: ({ organization_id, id }: ToolCallRef) =>
    db.maybe<{ status: ToolCallStatus; outcome: ToolOutcome | null }>(
      sql`select status, outcome from tool_calls where organization_id = ${organization_id} and id = ${id}`,
    ),

  /** For an answer from outside: only client tools on this call. */
  asked: (organization_id: string, call_id: string, id: string) =>
    db.maybe<{ requested_at: Date; call_status: string }>(sql`
      select t.requested_at, c.status as call_status from tool_calls t
        join calls c on c.organization_id = t.organization_id and c.id = t.call_id
       where t.organization_id = ${organization_id} and t.id = ${id} and t.call_id = ${call_id} and t.kind = 'client'`),

  ...waitingCalls(db),
  ...messageCalls(db),

  /** Calls of a tool that were not refused: in the conversation, and by the agent since a moment. */
  countUses: async (
    { organization_id, call_id, conversation_id, agent_id }: ToolContext,
    name: string,
    { since, except }: { since: Date; except: string },
  ) => {
    const row = await db.maybe<{ in_conversation: number; by_agent: number }>(sql`
      select (select count(*)::int from tool_calls
               where organization_id = ${organization_id} and name = ${name} and id <> ${except}
                 and status in ${used_statuses}
                 and ${
                   call_id === null
                     ? sql`conversation_id = ${conversation_id} and requested_at >= ${new Date(since.getTime() - day_ms)}`
                     : sql`call_id = ${call_id}`
                 }) as in_conversation,
             (select count(*)::int from tool_calls
               where organization_id = ${organization_id} and agent_id is not distinct from ${agent_id}
                 and name = ${name} and requested_at >= ${since} and id <> ${except}
                 and status in ${used_statuses}) as by_agent`);
    return row ?? { in_conversation: 0, by_agent: 0 };
  },

  /** The hosts of links that an agent may write. */
  async linkHosts(organization_id: string, agent_id: string): Promise<string[]> {
    const row = await db.maybe<{ hosts: string[] | null }>(sql`
      select messaging -> 'link_hosts' as hosts from agents
       where organization_id = ${organization_id} and id = ${agent_id}`);
    return row?.hosts ?? [];
  },

  /** Of all organizations: calls whose process must be gone. What is approved for a message waits for its job. */
  lost: (now: Date) =>
    db.rows<ToolCallRef & { status: 'running' | 'approved' }>(sql`
      (select organization_id, id, status from tool_calls where status = 'running' and lost_at < ${now}
        order by lost_at limit ${sweep_batch})
      union all
      (select organization_id, id, status from tool_calls
        where status = 'approved' and call_id is not null and lost_at < ${now} order by lost_at limit ${sweep_batch})`),
});
export type ToolCallStore = ReturnType<typeof toolCallStore>;

/** Calls of client tools by agents that answer messages. */
const messageCalls = (db: Database) => ({
  /** The id may be that of the thread, of its conversation, or a former one of that. */
  askedInMessage: (organization_id: string, conversation_id: string, id: string) =>
    db.maybe<{ requested_at: Date }>(sql`
      select t.requested_at from tool_calls t
       where t.organization_id = ${organization_id} and t.id = ${id} and t.call_id is null and t.kind = 'client'
         and (t.conversation_id = ${conversation_id} or exists (
           select from conversation_threads c
             left join conversation_aliases a on a.organization_id = c.organization_id and a.alias_id = c.conversation_id
            where c.organization_id = t.organization_id and c.thread_id = t.conversation_id
              and (c.conversation_id = ${conversation_id} or a.conversation_id = ${conversation_id})))`),
});

/** Calls that need an approval. */
const waitingCalls = (db: Database) => ({
  /** A call that a person is asked about, or was. */
  held: ({ organization_id, id }: ToolCallRef, on: Queryable = db) =>
    on.maybe<WaitingCall>(sql`
      select name, kind, arguments, arguments_hash, tool_sha256, conversation_id, call_id, message_id, approval_id
        from tool_calls
       where organization_id = ${organization_id} and id = ${id} and approval_id is not null`),

  async countWaiting(on: Queryable, organization_id: string, message_id: string): Promise<number> {
    const row = await on.maybe<{ count: number }>(sql`
      select count(*)::int as count from tool_calls
       where organization_id = ${organization_id} and message_id = ${message_id} and status = 'waiting_approval'`);
    return row!.count;
  },
});
