// Unit of work: commits a record together with its events, side rows and stored response.
//
// A feature says what must become true together. The unit of work decides how: changes of the same shape that arrive
// together share one statement and one commit; a change with a guard gets a transaction of its own.
//
//   const result = await unitOfWork.commit({
//     record: insert(contacts, row),                  // or move(emails, 'accepted', email, { sent_at })
//     events: [contactCreated(row)],                  // stored with their deliveries
//     also: [alsoInsert(timeline, entry)],            // rows of other tables
//     answer: idempotency?.row({ status: 201, body }) ?? null,
//     guard: limits && ((tx) => limits.count(tx)),    // throws to roll everything back
//     after: () => wake(),                            // once, after the commit
//   });
//   if (result.outcome === 'duplicate') throw new ApiError('contact_exists');
//
// How to convert a store:
// 1. Describe the table once with `table()` (platform/db/table.ts); give it the lifecycle if it has a status.
// 2. Replace the hand-written INSERT by `insert(table, row, checks)`. A condition that the INSERT evaluated becomes a
//    `check()`; it answers `{ outcome: 'refused', by }`.
// 3. Replace an UPDATE of the status by `move(table, trigger, { organization_id, id }, set)`. If the move emits an event, pass
//    that event in `events`.
// 4. Rows of other tables: `alsoInsert(table, row)`, or `alsoWrite(writer, value)` with a SideWriter for anything else (an
//    upsert, a counter, an update).
// 5. Work that needs several statements: `sharedTransaction()` puts inputs that arrive together into one transaction, and
//    `commitIn(tx, changes)` writes changes inside of it.
import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises';
import { batched } from '../batch.ts';
import type { Clock } from '../clock.ts';
import { type Database, DatabaseUnavailable, type Queryable, type Transaction } from '../db/database.ts';
import { isDuplicateOf } from '../db/duplicate.ts';
import { sql } from '../db/sql.ts';
import type { BatchOptions } from '../db/table.ts';
import { requireDeclaredEvent, statesAfter } from '../lifecycle.ts';
import type { Log } from '../log.ts';
import type { Outbox } from '../outbox.ts';
import type { Tracing } from '../tracing/trace.ts';
import { withTrace } from '../tracing/trace-store.ts';
import type { Change, Outcome } from './change.ts';
import { assemble, idOf } from './statement.ts';

export {
  alsoInsert,
  alsoWrite,
  batchCheck,
  type Change,
  type Checked,
  type CheckedValue,
  check,
  insert,
  move,
  type Outcome,
  type SideWrite,
  type SideWriter,
} from './change.ts';

type Deps = { db: Database; clock: Clock; log: Log; outbox: Outbox; tracing?: Tracing | null };
type Queues = Map<string, (change: Change) => Promise<Outcome>>;

/** Updates wait for row locks: more parallel statements would only wait for each other. */
const move_batch: BatchOptions = { max_flushes: 2 };
/** An event is large, and one change may have a thousand. */
const event_batch: BatchOptions = { max_rows: 50 };
const retry_every_ms = 500;

export function makeUnitOfWork(deps: Deps) {
  const queues: Queues = new Map();
  return {
    /** Commits one change; see the example above. */
    commit: <Refusal extends string = never>(change: Change<Refusal>): Promise<Outcome<Refusal>> =>
      commit(deps, queues, withTrace(deps.tracing, change as Change)) as Promise<Outcome<Refusal>>,

    /** Writes changes inside an open transaction. A guard is not allowed here: call it on the same transaction. */
    commitIn: <Refusal extends string = never>(
      tx: Transaction,
      changes: readonly Change<Refusal>[],
    ): Promise<Outcome<Refusal>[]> =>
      commitIn(
        deps,
        tx,
        (changes as readonly Change[]).map((change) => withTrace(deps.tracing, change)),
      ) as Promise<Outcome<Refusal>[]>,

    /** Inputs that arrive together share one transaction. When it fails, each is tried alone. */
    sharedTransaction: <In, Out>(
      work: (tx: Transaction, inputs: In[]) => Promise<Out[]>,
      options: BatchOptions = {},
    ): ((input: In) => Promise<Out>) =>
      batched((inputs: In[]) => {
        const run = () => deps.db.transaction((tx) => work(tx, inputs));
        // Inputs of several requests share it, so it belongs to the trace of none.
        return deps.tracing ? deps.tracing.within(null, run) : run();
      }, options),
  };
}
export type UnitOfWork = ReturnType<typeof makeUnitOfWork>;

async function commit(deps: Deps, queues: Queues, change: Change): Promise<Outcome> {
  requireEvent(change);
  for (let tries = 1; ; tries++) {
    let result: Outcome | null = null;
    try {
      result = change.guard
        ? await commitGuarded(deps, change)
        : await queueFor(deps, queues, change)(change);
      // An earlier try may have been committed although its answer was lost.
      if (tries > 1 && result.outcome !== 'stored' && (await isStored(deps.db, change))) result = stored;
    } catch (error) {
      if (await isLostCommit(deps, change, error, tries)) result = stored;
      else if (!change.retry_until || deps.clock.now() > change.retry_until) throw error;
      else if (tries === 1) deps.log.warn({ err: error, ...refOf(change) }, 'commit failed, retrying');
    }
    if (result) {
      if (result.outcome === 'stored') change.after?.();
      return result;
    }
    await delay(retry_every_ms);
  }
}

const stored: Outcome = { outcome: 'stored', events: [] };

const refOf = ({ record }: Change) => (record ? { table: record.table.name, id: idOf(record) } : {});

/** After a connection is lost, the server may still have committed: the record itself says so. */
async function isLostCommit(deps: Deps, change: Change, error: unknown, tries: number): Promise<boolean> {
  const may_be_committed = error instanceof DatabaseUnavailable ? error.may_be_committed : tries > 1;
  if (!may_be_committed) return false;
  return isStored(deps.db, change).catch(() => false);
}

async function isStored(db: Queryable, { record }: Change): Promise<boolean> {
  if (!record) return false;
  const { name, lifecycle } = record.table;
  const moved =
    record.kind === 'move' && lifecycle
      ? sql`and ${sql.raw(lifecycle.column ?? 'status')} = any(${statesAfter(lifecycle, record.trigger)})`
      : sql.empty;
  return (await db.maybe(sql`select id from ${sql.raw(name)} where id = ${idOf(record)} ${moved}`)) !== null;
}

/** A transaction of its own. Nothing is charged or counted by the guard for a change that was not written. */
const commitGuarded = (deps: Deps, change: Change): Promise<Outcome> =>
  deps.db.transaction(async (tx) => {
    const [result] = await write(deps, tx, [change]);
    if (result!.outcome === 'stored') await change.guard!(tx);
    return result!;
  });

async function commitIn(deps: Deps, tx: Transaction, changes: readonly Change[]): Promise<Outcome[]> {
  const outcomes: Outcome[] = new Array(changes.length);
  for (const change of changes) {
    if (change.guard) throw new Error('A change inside a transaction cannot have a guard');
    requireEvent(change);
  }
  const positions = Map.groupBy(changes.keys(), (position) => shapeOf(changes[position]!));
  for (const same of positions.values()) {
    const results = await write(
      deps,
      tx,
      same.map((position) => changes[position]!),
    );
    for (const [index, position] of same.entries()) outcomes[position] = results[index]!;
  }
  for (const [position, { after }] of changes.entries())
    if (after && outcomes[position]!.outcome === 'stored') tx.afterCommit(after);
  return outcomes;
}

function requireEvent({ record, events = [] }: Change): void {
  if (record?.kind === 'move') requireDeclaredEvent(record.table, record.trigger, events);
}

/** Changes of one shape can be written by one statement. */
function shapeOf({ record }: Change): string {
  if (!record) return 'events';
  if (record.kind === 'insert') return `insert ${record.table.key}`;
  return `move ${record.table.key} ${record.trigger} ${Object.keys(record.set).join(' ')}`;
}

const batchOf = ({ record }: Change): BatchOptions => {
  if (!record) return event_batch;
  return record.kind === 'insert' ? (record.table.batch ?? {}) : move_batch;
};

function queueFor(deps: Deps, queues: Queues, change: Change): (change: Change) => Promise<Outcome> {
  const shape = shapeOf(change);
  let queue = queues.get(shape);
  if (!queue) {
    queue = batched((changes: Change[]) => write(deps, deps.db, changes), batchOf(change));
    queues.set(shape, queue);
  }
  return queue;
}

/** Writes changes of one shape. Several changes of the same record are written one after the other. */
async function write(deps: Deps, on: Queryable | Transaction, changes: Change[]): Promise<Outcome[]> {
  const repeated = repeatedPositions(changes);
  if (repeated.size === 0) return writeOnce(deps, on, changes);
  const outcomes: Outcome[] = new Array(changes.length);
  for (const wanted of [false, true]) {
    const positions = [...changes.keys()].filter((position) => repeated.has(position) === wanted);
    const results = await write(
      deps,
      on,
      positions.map((position) => changes[position]!),
    );
    for (const [index, position] of positions.entries()) outcomes[position] = results[index]!;
  }
  return outcomes;
}

function repeatedPositions(changes: readonly Change[]): Set<number> {
  const seen = new Set<string>();
  const repeated = new Set<number>();
  for (const [position, { record }] of changes.entries()) {
    if (record?.kind !== 'move') continue;
    if (seen.has(record.id)) repeated.add(position);
    seen.add(record.id);
  }
  return repeated;
}

async function writeOnce(deps: Deps, on: Queryable | Transaction, changes: Change[]): Promise<Outcome[]> {
  const table = changes[0]?.record?.table;
  // Inside a transaction a violated key would abort all of it.
  const is_optimistic = table?.duplicates === 'rare' && !('afterCommit' in on);
  if (!is_optimistic) return run(deps, on, changes, true);
  try {
    return await run(deps, on, changes, false);
  } catch (error) {
    if (!isDuplicateOf(table.name, error)) throw error;
    return run(deps, on, changes, true);
  }
}

async function run(
  deps: Deps,
  on: Queryable | Transaction,
  changes: Change[],
  skip_duplicates: boolean,
): Promise<Outcome[]> {
  const { statement, read, publish } = assemble(changes, deps.outbox, { skip_duplicates });
  const rows = await on.rows(statement);
  const outcomes = read(rows);
  if ('afterCommit' in on) on.afterCommit(() => publish(rows, outcomes));
  else if (publish(rows, outcomes)) await nextTurn();
  return outcomes;
}
