// The SQL behind explain: what is stored about one call.
import type { CallEventKind } from '@parley/contract/channels/calls/call-records';
import type { Hold } from '@parley/contract/rules/approvals/hold';
import type { Database } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/sql.ts';

export type CallHistory = {
  id: string;
  status: string;
  end_reason: string | null;
  direction: string;
  provider: string | null;
  provider_call_id: string | null;
  requested_at: string;
  started_at: string | null;
  answered_at: string | null;
  ended_at: string | null;
  duration_seconds: number | null;
  hold: Hold | null;
  /** The last decision of admission, as JSON. */
  admission: string | null;
  events: { kind: CallEventKind; occurred_at: string; detail: Record<string, unknown> }[];
  /** Of turns of the agent. */
  timings: { started_ms: number; timings: Record<string, number> }[];
};

const max_events = 200;
const max_turns = 60;

/** One query: each round trip costs more than its rows. The newest events: the end says the most. */
export const callHistory = (db: Database) => (organization_id: string, id: string) =>
  db.maybe<CallHistory>(sql`
    select id, status, end_reason, direction, provider, provider_call_id, iso(requested_at) as requested_at,
           iso(started_at) as started_at, iso(answered_at) as answered_at, iso(ended_at) as ended_at, duration_seconds, hold,
           admission,
           coalesce((select json_agg(e) from (
             select kind, iso(occurred_at) as occurred_at, detail from call_events e
              where e.organization_id = ${organization_id} and e.call_id = calls.id order by e.id desc limit ${max_events}) e), '[]') as events,
           coalesce((select json_agg(t) from (
             select started_ms, timings from call_turns t
              where t.organization_id = ${organization_id} and t.call_id = calls.id and timings is not null
              order by started_ms limit ${max_turns}) t), '[]') as timings
      from calls where organization_id = ${organization_id} and id = ${id}`);
