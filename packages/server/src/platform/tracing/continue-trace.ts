// Work that another process does later belongs to the trace of the request that asked for it.
import type { Queryable } from '../db/database.ts';
import type { Attributes, Span, Tracing } from './trace.ts';
import { findTrace } from './trace-store.ts';

/** Continues the trace of the request that created a record, in any process. Without a stored trace it starts a new one. */
export async function continueTrace<T>(
  { tracing, db }: { tracing?: Tracing | null; db: Queryable },
  record: { organization_id: string; id: string },
  span: { name: string; attributes?: Attributes },
  work: (span: Span | null) => Promise<T>,
): Promise<T> {
  if (!tracing) return work(null);
  // Without its trace the work must still be done.
  const parent = await findTrace(db, record.organization_id, record.id).catch(() => null);
  const attributes = { ...span.attributes, 'parley.id': record.id };
  return tracing.span(span.name, { kind: 'consumer', parent, attributes }, work);
}
