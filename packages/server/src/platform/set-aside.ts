// Sets work aside that must not run again by itself: its handler ended the process twice, or it failed in every attempt.
import type { SetAsideQueue, SetAsideReason } from '@parley/contract/operations/set-aside-work';
import type { Clock } from './clock.ts';
import type { Queryable, Transaction } from './db/database.ts';
import { sql } from './db/sql.ts';
import type { Ids } from './ids.ts';
import type { Log } from './log.ts';

/** After this many runs that a process or a lease did not survive. */
export const max_lost_runs = 2;

export const process_ended = 'The process ended, or lost its lease, while this ran.';

export type NewSetAside = {
  queue: SetAsideQueue;
  kind: string;
  organization_id: string | null;
  /** The job, record, text or delivery. */
  object_id: string;
  reason: SetAsideReason;
  lost_runs: number;
  failed_runs: number;
  /** What the last run threw. */
  error?: unknown;
  payload?: Record<string, unknown>;
  unique_key?: string | null;
  queued_at: Date;
};

export type SetAsideDeps = {
  clock: Clock;
  ids: Ids;
  log: Log;
  countSetAside?: ((queue: SetAsideQueue, reason: SetAsideReason) => void) | undefined;
};

export function setAside(deps: SetAsideDeps) {
  return {
    /** In the transaction that takes the work out of its queue. */
    async add(tx: Transaction, entries: readonly NewSetAside[]): Promise<void> {
      for (const entry of entries) await insert(deps, tx, entry);
      tx.afterCommit(() => {
        for (const entry of entries) report(deps, entry);
      });
    },
    /** A run that was given up ended well after all. */
    forget: (on: Queryable, queue: SetAsideQueue, object_id: string): Promise<number> =>
      on.run(sql`delete from set_aside_work where queue = ${queue} and object_id = ${object_id}`),
  };
}
export type SetAside = ReturnType<typeof setAside>;

const insert = ({ ids, clock }: SetAsideDeps, tx: Transaction, entry: NewSetAside): Promise<number> =>
  tx.run(sql`
    insert into set_aside_work (id, queue, kind, organization_id, object_id, reason, lost_runs, failed_runs, last_error,
                                payload, unique_key, queued_at, set_aside_at)
    values (${ids.next()}, ${entry.queue}, ${entry.kind}, ${entry.organization_id}, ${entry.object_id}, ${entry.reason},
            ${entry.lost_runs}, ${entry.failed_runs}, ${lastError(entry)},
            ${entry.payload ? JSON.stringify(entry.payload) : null}, ${entry.unique_key ?? null},
            ${entry.queued_at}, ${clock.now()})
    on conflict (queue, object_id) do update
       set reason = excluded.reason, lost_runs = excluded.lost_runs, failed_runs = excluded.failed_runs,
           last_error = excluded.last_error, payload = excluded.payload, set_aside_at = excluded.set_aside_at`);

function report({ log, countSetAside }: SetAsideDeps, entry: NewSetAside): void {
  const { queue, kind, organization_id, object_id, reason, lost_runs, failed_runs, error } = entry;
  log.error(
    { queue, kind, organization_id, object_id, reason, lost_runs, failed_runs, err: error },
    'work set aside; it does not run again by itself',
  );
  countSetAside?.(queue, reason);
}

const max_error_chars = 300;
const address = /[^\s<>"'(),:;]+@[^\s<>"'(),:;]+/g;
const long_number = /\+?\d[\d .()-]{5,}\d/g;

/** An error may name the person that the work is about. */
function lastError({ reason, error }: NewSetAside): string {
  if (reason === 'process_ended') return process_ended;
  const text = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  return text
    .slice(0, 2000)
    .replaceAll(address, '[address]')
    .replaceAll(long_number, '[number]')
    .slice(0, max_error_chars);
}
