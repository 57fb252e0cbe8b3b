// The projector: takes changed records from a queue and gives them to the projections, in a loop in every worker process.
import { backgroundLoop } from '../../../platform/background-loop.ts';
import type { Clock } from '../../../platform/clock.ts';
import { DatabaseUnavailable, type Transaction } from '../../../platform/db/database.ts';
import { momentOf } from '../../../platform/ids.ts';
import { type QueuedRecord, queueStore } from './queue-store.ts';
import type { ProjectorDeps } from './run-batch.ts';
import { endStarts, giveUp, noStarts, runBatch, type Starts, type Taken } from './run-batch.ts';

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
  const starts = noStarts();
  const loop = backgroundLoop({
    // It leaves the queue to a caller that waits for it.
    work: (isStopped) =>
      projectDue(deps, { rest: rests.rest, isStopped: () => isStopped() || rests.isAwaited(), starts }),
    poll_ms,
    failed: (error) => deps.log.warn({ err: error }, 'projections not written, retrying'),
  });

  return {
    start: loop.start,

    /** After a commit of this process that may have queued a record. */
    wake: () => loop.wakeIn(wake_ms),

    nextDue: store.nextDue,

    /** Projects every record that is due, without a rest: for answers that need the conversation, the sandbox clock and tests. */
    drain: () =>
      rests.during(() => loop.runOnce((isStopped) => projectDue(deps, { rest: null, isStopped, starts }))),

    /** A batch that is cut is rolled back, and another process takes it. */
    async stop(cut?: AbortSignal): Promise<void> {
      await loop.stop(cut);
      await endStarts(deps.db, starts).catch((error) =>
        deps.log.warn({ err: error }, 'a batch of projections that was cut counts as lost'),
      );
    },
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

type Run = { rest: ((ms: number) => Promise<void>) | null; isStopped: () => boolean; starts: Starts };

async function projectDue(deps: ProjectorDeps, run: Run): Promise<void> {
  const store = queueStore(deps.db);
  // Without a transaction, because an idle service asks four times a second.
  while (!run.isStopped() && (await store.hasDue(deps.clock.now()))) {
    const rows = await projectBatch(deps, run);
    const lost_rows = await projectLost(deps, run);
    // Other processes have the rows that are due.
    if (rows + lost_rows === 0) return;
  }
}

/** Returns how many rows it got. */
async function projectBatch(deps: ProjectorDeps, { rest, isStopped, starts }: Run): Promise<number> {
  const batch: Taken = { rows: [] };
  const start_ms = performance.now();
  try {
    const take = (tx: Transaction) => queueStore(deps.db).take(tx, batch_size, deps.clock.now());
    const rows = await runBatch(deps, starts, take, batch);
    if (rest && rows > 0 && !isLate(deps.clock, batch.rows[0]!))
      await rest(rest_factor * (performance.now() - start_ms));
  } catch (error) {
    if (error instanceof DatabaseUnavailable || batch.rows.length === 0) throw error;
    await projectOneByOne(deps, batch.rows, { isStopped, starts });
  }
  return batch.rows.length;
}

/** One row of a batch that a process did not survive, alone: a second end of the process then shows that it was the reason. */
async function projectLost(deps: ProjectorDeps, { starts }: Run): Promise<number> {
  if (!deps.solo.tryEnter()) return 0;
  const batch: Taken = { rows: [] };
  try {
    return await runBatch(deps, starts, (tx) => queueStore(deps.db).takeLost(tx, deps.clock.now()), batch);
  } catch (error) {
    const row = batch.rows[0];
    if (error instanceof DatabaseUnavailable || !row) throw error;
    await delayOrGiveUp(deps, row, error);
    return 1;
  } finally {
    deps.solo.leave();
  }
}

function isLate(clock: Clock, { id }: QueuedRecord): boolean {
  const age_ms = clock.ms() - momentOf(id).getTime();
  return age_ms > late_ms && age_ms < old_ms;
}

/** After a batch failed: finds the records that cannot be projected, and projects the others. */
async function projectOneByOne(
  deps: ProjectorDeps,
  taken: readonly QueuedRecord[],
  { isStopped, starts }: Pick<Run, 'isStopped' | 'starts'>,
): Promise<void> {
  const store = queueStore(deps.db);
  for (const row of taken) {
    if (isStopped()) return;
    try {
      await runBatch(deps, starts, (tx) => store.takeOne(tx, row.position, deps.clock.now()));
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
  await giveUp(deps, row, error);
  deps.countGivenUp();
}
