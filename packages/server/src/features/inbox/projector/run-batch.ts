// Gives rows of the queue to the projections in one transaction, and stores before that it begins: after the end of the process

import type { Clock } from '../../../platform/clock.ts';
// the next one knows which rows were given.
import { type Database, DatabaseUnavailable, type Transaction } from '../../../platform/db/database.ts';
import type { Ids } from '../../../platform/ids.ts';
import { momentOf } from '../../../platform/ids.ts';
import type { Log } from '../../../platform/log.ts';
import type { SetAsideDeps } from '../../../platform/set-aside.ts';
import { max_lost_runs, setAside } from '../../../platform/set-aside.ts';
import type { Solo } from '../../../platform/solo.ts';
import type { Projection, ProjectionBatch, RecordRef } from './projection.ts';
import { type QueuedRecord, queueStore } from './queue-store.ts';
import type { EmailText } from './record-store.ts';
import { readRecords } from './record-store.ts';
import { startStore } from './starts-store.ts';

export type ProjectorDeps = {
  db: Database;
  clock: Clock;
  log: Log;
  projections: readonly Projection[];
  emailText: EmailText;
  /** Called after the commit, with the number of queue rows. */
  countProjected(rows: number): void;
  countGivenUp(): void;
  countSetAside?: SetAsideDeps['countSetAside'];
  ids: Ids;
  solo: Solo;
};

/** The starts of one process. */
export type Starts = {
  /** Of the batch that runs. */
  current: string | null;
  /** Their batches ended while the database could not be reached. */
  unended: Set<string>;
};
export const noStarts = (): Starts => ({ current: null, unended: new Set() });

/** The rows that a batch got, also when it failed. */
export type Taken = { rows: QueuedRecord[] };
type Result = { projected: number; lost_start_ids: string[] };

/** Returns how many rows left the queue. */
export async function runBatch(
  deps: ProjectorDeps,
  starts: Starts,
  take: (tx: Transaction) => Promise<QueuedRecord[]>,
  taken: Taken = { rows: [] },
): Promise<number> {
  await endStarts(deps.db, starts);
  const start_id = deps.ids.next();
  starts.current = start_id;
  try {
    const { projected, lost_start_ids } = await deps.db.transaction(async (tx) => {
      taken.rows = await take(tx);
      return runTaken(deps, tx, { start_id, rows: taken.rows, starts });
    });
    if (lost_start_ids.length === 0) return projected;
    await countLost(deps, lost_start_ids);
    return taken.rows.length;
  } finally {
    starts.current = null;
  }
}

/** For a batch that a clean stop cuts, or whose end could not be stored: it was not lost. */
export async function endStarts(db: Database, { current, unended }: Starts): Promise<void> {
  const ids = [...unended, ...(current === null ? [] : [current])];
  if (ids.length === 0) return;
  await startStore(db).end(db, ids);
  for (const id of ids) unended.delete(id);
}

async function runTaken(
  deps: ProjectorDeps,
  tx: Transaction,
  { start_id, rows, starts }: { start_id: string; rows: readonly QueuedRecord[]; starts: Starts },
): Promise<Result> {
  if (rows.length === 0) return { projected: 0, lost_start_ids: [] };
  const store = startStore(deps.db);
  const { lost_start_ids, set_aside_ids } = await store.begin(start_id, rows, deps.clock.now());
  if (lost_start_ids.length > 0) return { projected: 0, lost_start_ids };
  try {
    const skipped = new Set(set_aside_ids);
    await project(
      deps,
      tx,
      rows.filter(({ id }) => !skipped.has(id)),
    );
    await queueStore(deps.db).delete(tx, rows);
    await store.end(tx, [start_id]);
  } catch (error) {
    // Before the locks of the rows are free: otherwise another process would count this as the end of a process.
    if (error instanceof DatabaseUnavailable) starts.unended.add(start_id);
    else await store.end(deps.db, [start_id]);
    throw error;
  }
  tx.afterCommit(() => deps.countProjected(rows.length));
  return { projected: rows.length, lost_start_ids };
}

async function project(deps: ProjectorDeps, tx: Transaction, rows: readonly QueuedRecord[]): Promise<void> {
  const batch = await readBatch(deps, tx, rows);
  for (const { nouns, project } of deps.projections) {
    const records = batch.records.filter(({ noun }) => nouns.includes(noun));
    const deleted = batch.deleted.filter(({ noun }) => nouns.includes(noun));
    if (records.length + deleted.length > 0) await project(tx, { records, deleted });
  }
}

async function readBatch(
  deps: ProjectorDeps,
  tx: Transaction,
  rows: readonly QueuedRecord[],
): Promise<ProjectionBatch> {
  // A record may be queued several times.
  const refs = new Map<string, RecordRef>(
    rows.map(({ organization_id, noun, id }) => [id, { organization_id, noun, id }]),
  );
  const wanted = new Set(deps.projections.flatMap(({ nouns }) => nouns));
  const read = [...refs.values()].filter(({ noun }) => wanted.has(noun));
  const records = new Map((await readRecords(tx, read, deps)).map((record) => [record.id, record]));
  return {
    records: read.flatMap(({ id }) => records.get(id) ?? []),
    deleted: read.filter(({ id }) => !records.has(id)),
  };
}

/** Rows of a lost batch run one at a time from now on. A row that was lost twice is set aside. */
async function countLost(deps: ProjectorDeps, start_ids: readonly string[]): Promise<void> {
  const store = startStore(deps.db);
  await deps.db.transaction(async (tx) => {
    const lost = await store.countLost(tx, start_ids, max_lost_runs);
    if (lost.length === 0) return;
    await store.leaveQueue(tx, lost);
    await setAside(deps).add(
      tx,
      [...new Map(lost.map((row) => [row.id, row])).values()].map((row) => ({
        queue: 'projections',
        kind: row.noun,
        organization_id: row.organization_id,
        object_id: row.id,
        reason: 'process_ended',
        lost_runs: row.starts,
        failed_runs: row.attempts,
        queued_at: row.queued_at,
      })),
    );
  });
  deps.log.warn(
    { batches: start_ids.length },
    'the process of a projection batch ended; its records run alone',
  );
}

/** The record failed in every attempt. */
export const giveUp = (deps: ProjectorDeps, row: QueuedRecord, error: unknown): Promise<void> =>
  deps.db.transaction(async (tx) => {
    if ((await queueStore(deps.db).delete(tx, [row])) === 0) return;
    await setAside(deps).add(tx, [
      {
        queue: 'projections',
        kind: row.noun,
        organization_id: row.organization_id,
        object_id: row.id,
        reason: 'failed',
        lost_runs: row.starts,
        failed_runs: row.attempts + 1,
        error,
        queued_at: momentOf(row.id),
      },
    ]);
  });
