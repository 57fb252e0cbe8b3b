// The limit of every create: connections that insert one row per commit into a copy of the real table, with all its indexes.
import type pg from 'pg';
import { costing, type Run, type Side } from '../harness.ts';
import type { SingleRowCommits } from '../limits/single-row-commits.ts';
import type { Service } from '../stage.ts';
import { countRows } from './service.ts';

/** A sample ends after this many rows even if its time is not over. */
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

/** The table must have exactly the confirmed rows. */
export async function expectRows(database: pg.Client, table: string, expected: number): Promise<void> {
  const found = await countRows(database, table);
  if (found !== expected) throw new Error(`${expected} rows were confirmed, ${table} has ${found}`);
}

/** A sample of requests; `answered` is called with their number. */
export const posts = (
  run: Run,
  service: Pick<Service, 'url' | 'pid'>,
  load: Pick<Parameters<Run['load']>[0], 'paths' | 'connections' | 'status'> &
    Partial<Parameters<Run['load']>[0]>,
  answered: (requests: number) => void = () => {},
) =>
  costing([service.pid], async () => {
    const { requests, seconds } = await run.load({
      url: service.url,
      duration_ms: run.window_ms,
      max_requests: max_rows,
      method: 'POST',
      headers: {},
      ...load,
    });
    answered(requests);
    return { operations: requests, value: requests / seconds };
  });

/** The subject: requests that each create one row; all rows must be in the table afterwards. */
export function creates(
  run: Run,
  options: {
    service: Service;
    database: pg.Client;
    path: string;
    body: string;
    headers?: Record<string, string>;
    connections: number;
    /** Tables (with a condition if needed) that have one row per request. */
    rows_in: string[];
    made_before?: number;
  },
): Side {
  const { service, database, connections } = options;
  let made = options.made_before ?? 0;
  return async () => {
    const load = {
      connections,
      paths: [options.path],
      headers: { authorization: `Bearer ${service.key}`, ...options.headers },
      body: options.body,
      first_number: made,
      status: 201,
    };
    const sample = await posts(run, service, load, (requests) => {
      made += requests;
    });
    for (const table of options.rows_in) await expectRows(database, table, made);
    return sample;
  };
}
