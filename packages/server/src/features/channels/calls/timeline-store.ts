// The SQL of a call's timeline and transcript.
import type {
  CallEventKind,
  CallTimelineEntry,
  CallTurn,
} from '@parley/contract/channels/calls/call-records';
import type { Database, Queryable } from '../../../platform/db/database.ts';
import { cursors, type PageRequest, readPage } from '../../../platform/db/page.ts';
import { type Sql, sql } from '../../../platform/db/sql.ts';
import { type CallRef, ledBy } from './dispatch/queue/queue-store.ts';

export type TimelineEntry = {
  id: string;
  organization_id: string;
  call_id: string;
  kind: CallEventKind;
  occurred_at: string;
  detail: Record<string, unknown>;
};

const list = cursors('call_events');

/** True for a write that does not come from a leader. */
const isLed = (call: CallRef): Sql =>
  call.leader_id === undefined
    ? sql`true`
    : sql`exists (select from calls where organization_id = ${call.organization_id} and id = ${call.id} ${ledBy(call)})`;

export function timelineStore(db: Database) {
  return {
    add: (call: CallRef, entry: TimelineEntry, on: Queryable = db) =>
      on.run(sql`
        insert into call_events select * from json_populate_record(null::call_events, ${JSON.stringify(entry)})
         where ${isLed(call)}`),

    list: (organization_id: string, call_id: string, page: PageRequest) =>
      readPage<CallTimelineEntry>(db, list, page, {
        columns: sql`id, kind, iso(occurred_at) as occurred_at, detail`,
        from: sql`call_events`,
        where: sql`organization_id = ${organization_id} and call_id = ${call_id}`,
      }),

    addTurn: (on: Queryable, call: CallRef, turn: CallTurn & { id: string; call_id: string }) =>
      on.run(sql`
        insert into call_turns
        select * from json_populate_record(null::call_turns, ${JSON.stringify({ organization_id: call.organization_id, ...turn })})
         where ${isLed(call)}`),

    turns: (organization_id: string, call_id: string) =>
      db.rows<CallTurn>(sql`
        select speaker, text, started_ms, ended_ms, is_interrupted, coalesce(is_filler, false) as is_filler,
               coalesce(is_private, false) as is_private, requested_by, timings
          from call_turns
         where organization_id = ${organization_id} and call_id = ${call_id} order by started_ms, id`),
  };
}
export type TimelineStore = ReturnType<typeof timelineStore>;
