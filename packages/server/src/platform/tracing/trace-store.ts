// Stores the trace of the request that created a record, for work that another process does later.
import type { Database, Queryable } from '../db/database.ts';
import { sql } from '../db/sql.ts';
import { table } from '../db/table.ts';
import { alsoInsert, type Change } from '../unit-of-work/change.ts';
import type { Tracing } from './trace.ts';

type TraceRow = { organization_id: string; resource_id: string; traceparent: string };

const trace_contexts = table<'trace_contexts', TraceRow>('trace_contexts', {
  organization_id: 'uuid',
  resource_id: 'uuid',
  traceparent: 'text',
});

/** Records that are worked on after their request. */
const traced_tables = new Set(['calls', 'sms_messages', 'emails']);
const kept_days = 7;

/** Adds the current trace to the events of a change and, for a new record, a row with it. */
export function withTrace(tracing: Pick<Tracing, 'current'> | null | undefined, change: Change): Change {
  const traceparent = tracing?.current();
  if (!traceparent) return change;
  const { record, events, also = [] } = change;
  const row = record?.kind === 'insert' && traced_tables.has(record.table.name) ? record.row : null;
  const { organization_id } = (row ?? {}) as { organization_id?: string };
  return {
    ...change,
    ...(events ? { events: events.map((event) => ({ traceparent, ...event })) } : {}),
    ...(row && organization_id
      ? { also: [...also, alsoInsert(trace_contexts, { organization_id, resource_id: row.id, traceparent })] }
      : {}),
  };
}

export async function findTrace(
  db: Queryable,
  organization_id: string,
  resource_id: string,
): Promise<string | null> {
  const row = await db.maybe<{ traceparent: string }>(sql`
    select traceparent from trace_contexts where organization_id = ${organization_id} and resource_id = ${resource_id}`);
  return row?.traceparent ?? null;
}

export const deleteOldTraces = (db: Database, now: Date) =>
  db.run(
    sql`delete from trace_contexts where created_at < ${new Date(now.getTime() - kept_days * 86_400_000)}`,
  );
