// The projector: takes changed records from a queue and gives them to the projections, in a loop in every worker process.
import { setTimeout as delay } from 'node:timers/promises';
import type { Clock } from '../../platform/clock.ts';
import { type Database, DatabaseUnavailable, type Transaction } from '../../platform/db/database.ts';
import { untilCut } from '../../platform/drain.ts';
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

type Loop = {
  state: 'idle' | 'started' | 'stopped';
  run: Promise<void> | null;
  timer: NodeJS.Timeout | undefined;
  due_ms: number;
};

export function projector(deps: ProjectorDeps) {
  const { log } = deps;
  const store = queueStore(deps.db);
  const loop: Loop = { state: 'idle', run: null, timer: undefined, due_ms: 0 };

  /** One run at a time; a second one would skip the rows of the first and end before them. */
  const run = ({ rests }: { rests: boolean }): Promise<void> => {
    loop.run ??= projectDue(deps, { rests, isStopped: () => loop.state === 'stopped' }).finally(() => {
      loop.run = null;
    });
    return loop.run;
  };

  const schedule = (delay_ms: number): void => {
    if (loop.state !== 'started') return;
    const due_ms = performance.now() + delay_ms;
    if (loop.timer && loop.due_ms <= due_ms) return;
    clearTimeout(loop.timer);
    loop.due_ms = due_ms;
    loop.timer = setTimeout(() => {
      loop.timer = undefined;
      run({ rests: true })
        .catch((error) => log.warn({ err: error }, 'projections not written, retrying'))
        .finally(() => schedule(poll_ms));
    }, delay_ms).unref();
  };

  return {
    start(): void {
      loop.state = 'started';
      schedule(0);
    },

    /** After a commit of this process that may have queued a record. */
    wake: () => schedule(wake_ms),

    nextDue: store.nextDue,

    /** Projects every record that is due: for the sandbox clock and for tests. */
    async drain(): Promise<void> {
      if (loop.run) await loop.run.catch(() => {});
      await run({ rests: false });
    },

    /** A batch that is cut is rolled back, and another process takes it. */
    async stop(cut?: AbortSignal): Promise<void> {
      loop.state = 'stopped';
      clearTimeout(loop.timer);
      if (loop.run)
        await untilCut(
          loop.run.catch(() => {}),
          cut,
        );
    },
  };
}
export type Projector = ReturnType<typeof projector>;

async function projectDue(
  deps: ProjectorDeps,
  { rests, isStopped }: { rests: boolean; isStopped: () => boolean },
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
      if (rests && !isLate(deps.clock, taken[0]!)) await delay(rest_factor * (performance.now() - start_ms));
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
