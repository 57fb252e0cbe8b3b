// A background job that is enqueued in the commit of a unit of work, and only if its record is stored.
import type { Clock } from './clock.ts';
import { table } from './db/table.ts';
import type { Ids } from './ids.ts';
import { alsoInsert } from './unit-of-work/unit-of-work.ts';

type JobRow = {
  id: string;
  kind: string;
  payload: Record<string, unknown>;
  run_at: string;
  attempts: number;
  claims: number;
};

const job_rows = table<'jobs', JobRow>('jobs', {
  id: 'uuid',
  kind: 'text',
  payload: 'jsonb',
  run_at: 'timestamptz',
  attempts: 'int',
  claims: 'int',
});

export const alsoEnqueue = (
  { clock, ids }: { clock: Clock; ids: Ids },
  { kind, payload, run_at }: { kind: string; payload: Record<string, unknown>; run_at?: Date },
) => {
  const due = (run_at ?? clock.now()).toISOString();
  return alsoInsert(job_rows, { id: ids.next(), kind, payload, run_at: due, attempts: 0, claims: 0 });
};
