// The limit of every create: connections that insert one row a commit into a copy of the real table, with all its indexes.
import type pg from 'pg';
import { costing, type Run, type Side } from '../harness.ts';
import type { SingleRowCommits } from '../limits/single-row-commits.ts';
import type { Service } from '../stage.ts';
import { countRows } from './service.ts';

/** A sample stops here even if its time is not over. */
export const max_rows = 200_000;

const tables: Record<SingleRowCommits['of'], string> = {
  contact: 'contacts',
  sms: 'sms_messages',
  email: 'emails',
  call: 'calls',
};

export async function oneRowCommits(
  run: Run,
  options: { service: Service; database: pg.Client; of: SingleRowCommits['of']; connections: number },
): Promise<Side> {
  const { service, database, of, connections } = options;
  const table = `single_${of}_commits`;
  await database.query(`drop table if exists ${table}`);
  await database.query(`create table ${table} (like ${tables[of]} including all)`);
  const committer = run.stage.startSide<SingleRowCommits, { rows: number; seconds: number }>(
    new URL('../limits/single-row-commits.ts', import.meta.url),
  );
  let committed = 0;
  return async () => {
    const sample = await costing([committer.pid, service.pid], async () => {
      const { rows, seconds } = await committer.ask({
        database_url: service.database_url,
        table,
        of,
        connections,
        duration_ms: run.window_ms,
        max_rows,
        first_number: committed,
      });
      committed += rows;
      return { operations: rows, value: rows / seconds };
    });
    await expectRows(database, table, committed);
    return sample;
  };
}

/** What was confirmed must be there, and nothing else. */
export async function expectRows(database: pg.Client, table: string, expected: number): Promise<void> {
  const found = await countRows(database, table);
  if (found !== expected) throw new Error(`${expected} rows were confirmed, ${table} holds ${found}`);
}
