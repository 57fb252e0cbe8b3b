// The SQL of the result of a call.
import type { Call, CallTurn } from '@parley/contract/channels/calls/call-records';
import { type CallResultCreate, callResultLifecycle } from '@parley/contract/channels/calls/call-results';
import type { Database, Row, Transaction } from '../../../../platform/db/database.ts';
import { sql } from '../../../../platform/db/sql.ts';
import type { Mover } from '../../../../platform/lifecycle.ts';
import { readPlan, type SpeechPlan, type StoredPlan } from '../conversation/speak/speech-plan.ts';
import { callColumns } from '../store.ts';

export type ResultRef = { organization_id: string; id: string; request_id: string };

/** What a result is made of. */
export type ResultSource = {
  organization_id: string;
  id: string;
  provider: string;
  direction: 'inbound' | 'outbound';
  end_reason: string | null;
  answered_at: Date | null;
  requested_at: Date;
  plan: SpeechPlan;
  llm_key_sealed: string | null;
  /** What a later request asked for. */
  request: CallResultCreate | null;
  turns: Pick<CallTurn, 'speaker' | 'text'>[];
  tool_calls: { name: string; status: string; detail: string | null }[];
};

const tool_chars = 200;
const max_tool_calls = 20;

/**
 * The state of the result when a call ends: part of the statement that ends the call, because the event of the end names it.
 * A call ends once, and before that its result is `none`.
 */
export const resultAtEnd = (request_id: string): Row => ({
  result_status: sql`case
    -- The call of a colleague during a transfer is part of the call with the person.
    when parent_call_id is not null then 'none'
    when plan->>'result_schema' is null and plan->>'summarize' = 'false' then 'none'
    when answered_at is null or not exists (
      select from call_turns t where t.call_id = calls.id and t.speaker = 'person') then 'skipped'
    else 'pending' end`,
  result_request_id: request_id,
});

export function resultStore(db: Database, mover: Mover, baseUrl: () => string) {
  const move = (
    tx: Transaction,
    { organization_id, id }: Pick<ResultRef, 'organization_id' | 'id'>,
    trigger: keyof typeof callResultLifecycle.moves,
    { set, key }: { set: Row; key: Row },
  ) =>
    mover<typeof callResultLifecycle, Call>(tx, {
      lifecycle: callResultLifecycle,
      table: 'calls',
      organization_id,
      id,
      trigger,
      key,
      set,
      returning: callColumns(baseUrl()),
      event: (call) => ({ data: call }),
    });

  return {
    /** Null when this request is not the current one any more. */
    async source({ organization_id, id, request_id }: ResultRef): Promise<ResultSource | null> {
      const row = await db.maybe<
        Omit<ResultSource, 'plan' | 'turns' | 'tool_calls'> & { plan: StoredPlan }
      >(sql`
        select organization_id, id, coalesce(provider, '') as provider, direction, end_reason, answered_at, requested_at, plan,
               coalesce(llm_key_sealed, brain_key_sealed) as llm_key_sealed,
               result_request as request
          from calls
         where organization_id = ${organization_id} and id = ${id} and result_request_id = ${request_id}
               and result_status = 'pending'`);
      if (!row) return null;
      const turns = await db.rows<ResultSource['turns'][number]>(sql`
        select speaker, text from call_turns where organization_id = ${organization_id} and call_id = ${id}
         order by started_ms, id`);
      const tool_calls = await db.rows<ResultSource['tool_calls'][number]>(sql`
        select name, status, left(coalesce(outcome->>'content', outcome->>'detail'), ${tool_chars}) as detail
          from tool_calls where organization_id = ${organization_id} and call_id = ${id}
         order by id limit ${max_tool_calls}`);
      return { ...row, plan: readPlan(row.plan), turns, tool_calls };
    },

    /** Null when a result is being made, or the call has none to make. */
    request: (tx: Transaction, ref: ResultRef, request: CallResultCreate) =>
      move(tx, ref, 'requested', {
        key: {},
        set: {
          result_request_id: ref.request_id,
          result_request: JSON.stringify(request),
          result: null,
          result_error: null,
          result_engine: null,
          evidence: null,
          summary: null,
          success: null,
          success_reason: null,
          result_settled_at: null,
        },
      }),

    settle: (tx: Transaction, ref: ResultRef, set: Row) =>
      move(tx, ref, 'settled', { key: { result_request_id: ref.request_id }, set }),
    giveUp: (tx: Transaction, ref: ResultRef, set: Row) =>
      move(tx, ref, 'gave_up', { key: { result_request_id: ref.request_id }, set }),
    passOver: (tx: Transaction, ref: ResultRef) =>
      move(tx, ref, 'passed_over', { key: { result_request_id: ref.request_id }, set: {} }),
  };
}
export type ResultStore = ReturnType<typeof resultStore>;
