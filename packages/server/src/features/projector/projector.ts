// The projector: takes changed records from a queue and gives them to the projections, in a loop in every worker process.
import { backgroundLoop } from '../../platform/background-loop.ts';
import type { Clock } from '../../platform/clock.ts';
import { type Database, DatabaseUnavailable, type Transaction } from '../../platform/db/database.ts';
import { momentOf } from '../../platform/ids.ts';
import type { Log } from '../../platform/log.ts';
import type { Projection, ProjectionBatch, RecordRef } from './projection.ts';
import { type QueuedRecord, queueStore } from './queue-store.ts';
import { type EmailText, readRecords } from './record-store.ts';

export type ProjectorDeps = {
  db: Database;
  clock: Clock;
  log: Log;
  projections: readonly Projection[];
  emailText: EmailText;
  /** Called after the commit, with the number of queue rows. */
  countProjected(rows: number): void;
  countGivenUp(): void;
};

/** How many records share a transaction. */
const batch_size = 500;
/** How long the loop waits when the queue is empty. */
const poll_ms = 500;
/** After a commit of this process. Records that are created in this time share a batch: a small one takes nearly as long. */
const wake_ms = 300;
/**
 * While many records are created, the loop rests this many times as long as it works, because sending goes first. It does not
 * rest while new records wait longer than `late_ms`: they should be found within a second. Records of a rebuild are old.
 */
const rest_factor = 2;
const late_ms = 500;
const old_ms = 600_000;
const max_attempts = 10;
const backoffMs = (attempts: number) => Math.min(2 ** attempts, 300) * 1000;

export function projector(deps: ProjectorDeps) {
  const store = queueStore(deps.db);
  const rests = restBetweenBatches();
  const loop = backgroundLoop({
    // It leaves the queue to a caller that waits for it.
    work: (isStopped) =>
      projectDue(deps, { rest: rests.rest, isStopped: () => isStopped() || rests.isAwaited() }),
    poll_ms,
    failed: (error) => deps.log.warn({ err: error }, 'projections not written, retrying'),
  });

  return {
    start: loop.start,

    /** After a commit of this process that may have queued a record. */
    wake: () => loop.wakeIn(wake_ms),

    nextDue: store.nextDue,

    /** Projects every record that is due, without a rest: for answers that need the conversation, the sandbox clock and tests. */
    drain: () => rests.during(() => loop.runOnce((isStopped) => projectDue(deps, { rest: null, isStopped }))),

    /** A batch that is cut is rolled back, and another process takes it. */
    stop: loop.stop,
  };
}
export type Projector = ReturnType<typeof projector>;

/** A caller that waits for the queue ends the rest at once: otherwise an answer would wait for it. */
function restBetweenBatches() {
  let waiting = 0;
  let end = () => {};
  return {
    isAwaited: () => waiting > 0,
    rest: (ms: number): Promise<void> =>
      new Promise((resolve) => {
        const timer = setTimeout(resolve, ms);
        end = () => {
          clearTimeout(timer);
          resolve();
        };
      }),
    async during(work: () => Promise<void>): Promise<void> {
      waiting++;
      end();
      try {
        await work();
      } finally {
        waiting--;
      }
    },
  };
}

async function projectDue(
  deps: ProjectorDeps,
  { rest, isStopped }: { rest: ((ms: number) => Promise<void>) | null; isStopped: () => boolean },
): Promise<void> {
  const store = queueStore(deps.db);
  // Without a transaction, because an idle service asks four times a second.
  while (!isStopped() && (await store.hasDue(deps.clock.now()))) {
    let taken: QueuedRecord[] = [];
    const start_ms = performance.now();
    try {
      const rows = await deps.db.transaction(async (tx) => {
        taken = await store.take(tx, batch_size, deps.clock.now());
        return projectRows(deps, tx, taken);
      });
      // Other processes have the rows that are due.
      if (rows === 0) return;
      if (rest && !isLate(deps.clock, taken[0]!)) await rest(rest_factor * (performance.now() - start_ms));
    } catch (error) {
      if (error instanceof DatabaseUnavailable || taken.length === 0) throw error;
      await projectOneByOne(deps, taken, isStopped);
    }
  }
}

function isLate(clock: Clock, { id }: QueuedRecord): boolean {
  const age_ms = clock.ms() - momentOf(id).getTime();
  return age_ms > late_ms && age_ms < old_ms;
}

/** Projects the rows and deletes them from the queue. */
async function projectRows(
  deps: ProjectorDeps,
  tx: Transaction,
  taken: readonly QueuedRecord[],
): Promise<number> {
  if (taken.length === 0) return 0;
  const batch = await readBatch(deps, tx, taken);
  for (const { nouns, project } of deps.projections) {
    const records = batch.records.filter(({ noun }) => nouns.includes(noun));
    const deleted = batch.deleted.filter(({ noun }) => nouns.includes(noun));
    if (records.length + deleted.length > 0) await project(tx, { records, deleted });
  }
  await queueStore(deps.db).delete(tx, taken);
  tx.afterCommit(() => deps.countProjected(taken.length));
  return taken.length;
}

async function readBatch(
  deps: ProjectorDeps,
  tx: Transaction,
  taken: readonly QueuedRecord[],
): Promise<ProjectionBatch> {
  // A record may be queued several times.
  const refs = new Map<string, RecordRef>(
    taken.map(({ organization_id, noun, id }) => [id, { organization_id, noun, id }]),
  );
  const wanted = new Set(deps.projections.flatMap(({ nouns }) => nouns));
  const read = [...refs.values()].filter(({ noun }) => wanted.has(noun));
  const found = new Map((await readRecords(tx, read, deps)).map((record) => [record.id, record]));
  return {
    records: read.flatMap(({ id }) => found.get(id) ?? []),
    deleted: read.filter(({ id }) => !found.has(id)),
  };
}

/** After a batch failed: finds the records that cannot be projected, and projects the others. */
async function projectOneByOne(
  deps: ProjectorDeps,
  taken: readonly QueuedRecord[],
  isStopped: () => boolean,
): Promise<void> {
  const store = queueStore(deps.db);
  for (const row of taken) {
    if (isStopped()) return;
    try {
      await deps.db.transaction(async (tx) =>
        projectRows(deps, tx, await store.takeOne(tx, row.position, deps.clock.now())),
      );
    } catch (error) {
      if (error instanceof DatabaseUnavailable) throw error;
      await delayOrGiveUp(deps, row, error);
    }
  }
}

async function delayOrGiveUp(deps: ProjectorDeps, row: QueuedRecord, error: unknown): Promise<void> {
  const store = queueStore(deps.db);
  const { noun, id, organization_id } = row;
  const attempts = row.attempts + 1;
  if (attempts < max_attempts) {
    deps.log.warn({ noun, id, attempts, err: error }, 'record not projected, retrying later');
    await store.delay(row.position, new Date(deps.clock.ms() + backoffMs(attempts)));
    return;
  }
  deps.log.error({ noun, id, organization_id, err: error }, 'record not projected, given up');
  await store.delete(deps.db, [row]);
  deps.countGivenUp();
}
