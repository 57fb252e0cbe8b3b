// Partitions of tables that are divided by the time in their ids: creates them ahead and drops old ones.
import { setTimeout as wait } from 'node:timers/promises';
import { firstIdAt, momentOf } from '../ids.ts';
import type { Database, Transaction } from './database.ts';
import { isLockTimeout } from './database-error.ts';
import { sql } from './sql.ts';

/**
 * A table partitioned by range of `id`. `<name>_first` takes all ids below the oldest other partition and `<name>_last` all
 * ids above the newest one, so that every insert finds a partition.
 */
export type PartitionedTable = 'events' | 'webhook_deliveries' | 'search_documents' | 'request_log';
/** Those whose old partitions are dropped. */
export const partitioned_tables: readonly PartitionedTable[] = [
  'webhook_deliveries',
  'events',
  'request_log',
];

/** A null bound is open. Times in milliseconds. */
export type Partition = { name: string; from_ms: number | null; to_ms: number | null };

const day_ms = 86_400_000;
/** Statements that read without a bound on the id look into every partition, so there are few. */
const partitions_per_retention = 4;
/** The job that creates partitions may fail for this long. */
const days_ahead = 2;
/** Other statements wait behind a waiting lock, so it gives up soon and tries again. */
const lock_timeout_ms = 500;
const lock_tries = 8;
const lock_key = 7_235_002;

/** How many days one partition covers. Rows stay at most this much longer than the retention time. */
export const partitionDays = (kept_days: number) =>
  Math.max(1, Math.floor(kept_days / partitions_per_retention));

/** In the order of their ranges. */
export async function partitionsOf(
  on: Pick<Database, 'rows'>,
  table: PartitionedTable,
): Promise<[Partition, ...Partition[]]> {
  const rows = await on.rows<{ name: string; bounds: string }>(sql`
    select c.relname as name, pg_get_expr(c.relpartbound, c.oid) as bounds
      from pg_inherits i join pg_class c on c.oid = i.inhrelid
     where i.inhparent = ${`public.${table}`}::regclass`);
  const partitions = rows.map(({ name, bounds }) => ({
    name,
    from_ms: boundOf(/FROM \('([^']+)'\)/, bounds),
    to_ms: boundOf(/TO \('([^']+)'\)/, bounds),
  }));
  const start = ({ from_ms }: Partition) => from_ms ?? Number.NEGATIVE_INFINITY;
  return partitions.sort((a, b) => start(a) - start(b)) as [Partition, ...Partition[]];
}

function boundOf(pattern: RegExp, bounds: string): number | null {
  const id = pattern.exec(bounds)?.[1];
  return id === undefined ? null : momentOf(id).getTime();
}

/** Creates the partitions of the next days. Safe to run at any time by any number of processes. */
export async function createPartitionsAhead(
  db: Database,
  table: PartitionedTable,
  { now_ms, days }: { now_ms: number; days: number },
): Promise<void> {
  const needed_until_ms = now_ms + days_ahead * day_ms;
  const isDone = (partitions: Partition[]) => partitions.at(-1)!.from_ms! >= needed_until_ms;
  if (isDone(await partitionsOf(db, table))) return;
  await lockedChange(db, table, async (tx) => {
    const last = (await partitionsOf(tx, table)).at(-1)!;
    const bounds = boundsUntil(last.from_ms!, { now_ms, needed_until_ms, width_ms: days * day_ms });
    if (bounds.length === 0) return;
    await splitLast(tx, table, [last.from_ms!, ...bounds]);
  });
}

/** Bounds are multiples of the width. A gap until now, after a long pause, becomes one partition. */
function boundsUntil(
  start_ms: number,
  { now_ms, needed_until_ms, width_ms }: { now_ms: number; needed_until_ms: number; width_ms: number },
): number[] {
  const after = (ms: number) => (Math.floor(ms / width_ms) + 1) * width_ms;
  const bounds: number[] = [];
  for (let end_ms = start_ms; end_ms < needed_until_ms; ) {
    end_ms = after(Math.max(end_ms, bounds.length === 0 ? now_ms : end_ms));
    bounds.push(end_ms);
  }
  return bounds;
}

/** Divides the last partition at the bounds. It has rows only if some process runs ahead of time. */
async function splitLast(tx: Transaction, table: PartitionedTable, bounds_ms: number[]): Promise<void> {
  const [parent, last] = [sql.raw(table), partitionName(table, 'last')];
  await tx.run(sql`alter table ${parent} detach partition ${last}`);
  for (const [index, to_ms] of bounds_ms.slice(1).entries()) {
    const from_ms = bounds_ms[index]!;
    const name = partitionName(table, new Date(from_ms).toISOString().slice(0, 10).replaceAll('-', ''));
    await tx.run(
      sql`create table ${name} partition of ${parent} for values from (${idLiteral(from_ms)}) to (${idLiteral(to_ms)})`,
    );
  }
  const end_ms = bounds_ms.at(-1)!;
  await tx.run(sql`
    with moved as (delete from ${last} where id < ${idLiteral(end_ms)} returning *)
    insert into ${parent} select * from moved`);
  await tx.run(
    sql`alter table ${parent} attach partition ${last} for values from (${idLiteral(end_ms)}) to (maxvalue)`,
  );
}

/**
 * Drops the partitions whose rows are all older. Returns whether the partition around the time is wider than `days`: then
 * its older rows must be deleted, otherwise they wait for the drop.
 */
export async function dropPartitionsBefore(
  db: Database,
  table: PartitionedTable,
  { before_ms, days }: { before_ms: number; days: number },
): Promise<{ has_wide_partition: boolean }> {
  const isOld = ({ to_ms }: Partition) => to_ms !== null && to_ms <= before_ms;
  const partitions = await partitionsOf(db, table);
  const has_old_rows = await hasRows(db, table, partitions.filter(isOld));
  if (partitions.filter(isOld).length > 1 || has_old_rows) {
    await lockedChange(db, table, async (tx) => {
      await dropOld(tx, table, (await partitionsOf(tx, table)).filter(isOld));
    });
  }
  const around = partitions.find((each) => !isOld(each))!;
  const width_ms = (around.to_ms ?? Number.POSITIVE_INFINITY) - (around.from_ms ?? Number.NEGATIVE_INFINITY);
  return { has_wide_partition: width_ms > days * day_ms };
}

async function hasRows(db: Database, table: PartitionedTable, old: Partition[]): Promise<boolean> {
  if (old.length === 0) return false;
  return (await db.rows(sql`select from ${partitionName(table, 'first')} limit 1`)).length > 0;
}

/** The first partition is emptied and extended over the range of the dropped ones. */
async function dropOld(tx: Transaction, table: PartitionedTable, old: Partition[]): Promise<void> {
  if (old.length === 0) return;
  const [parent, first] = [sql.raw(table), partitionName(table, 'first')];
  await tx.run(sql`alter table ${parent} detach partition ${first}`);
  await tx.run(sql`truncate ${first}`);
  for (const { name, from_ms } of old)
    if (from_ms !== null) await tx.run(sql`drop table ${sql.raw(`partitions.${name}`)}`);
  await tx.run(
    sql`alter table ${parent} attach partition ${first} for values from (minvalue) to (${idLiteral(old.at(-1)!.to_ms!)})`,
  );
}

/**
 * For statements of this transaction that find many rows of a partitioned table by their keys. The planner counts an index scan
 * of every partition for each key, although only one is read, so it would rather read whole tables.
 */
export const useIndexPlans = (tx: Transaction) => tx.run(index_plans);

export const withIndexPlans = <T>(db: Database, work: (tx: Transaction) => Promise<T>): Promise<T> =>
  db.transaction(async (tx) => {
    await useIndexPlans(tx);
    return work(tx);
  });

const index_plans = sql`
  select set_config('enable_seqscan', 'off', true), set_config('enable_sort', 'off', true),
         set_config('enable_hashjoin', 'off', true), set_config('enable_mergejoin', 'off', true)`;

const partitionName = (table: PartitionedTable, part: string) => sql.raw(`partitions.${table}_${part}`);

/** Bounds are part of the statement's text: PostgreSQL accepts no parameters there. */
const idLiteral = (ms: number) => sql.raw(`'${firstIdAt(new Date(ms))}'`);

/** One process at a time. All statements on the table wait for this change: milliseconds, and at most the time limit. */
async function lockedChange(
  db: Database,
  table: PartitionedTable,
  change: (tx: Transaction) => Promise<void>,
): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      await db.transaction(async (tx) => {
        await tx.run(sql`select pg_advisory_xact_lock(${lock_key})`);
        await tx.run(sql`select set_config('lock_timeout', ${`${lock_timeout_ms}ms`}, true)`);
        await tx.run(sql`lock table ${sql.raw(table)} in access exclusive mode`);
        await change(tx);
      });
      return;
    } catch (error) {
      if (!isLockTimeout(error) || tries === lock_tries) throw error;
      await wait(100 * tries);
    }
  }
}
