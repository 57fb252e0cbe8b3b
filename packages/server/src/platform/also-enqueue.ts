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

const job_rows = table<JobRow>('jobs', {
  id: 'uuid',
  kind: 'text',
  payload: 'jsonb',
  run_at: 'timestamptz',
  attempts: 'int',
  claims: 'int',
});

export const alsoEnqueue = (
  { clock, ids }: { clock: Clock; ids: Ids },
  job: { kind: string; payload: Record<string, unknown> },
) =>
  alsoInsert(job_rows, { id: ids.next(), ...job, run_at: clock.now().toISOString(), attempts: 0, claims: 0 });
