// A service whose table has a certain number of rows, to compare the time of a page in tables of different sizes.
import type pg from 'pg';
import { costing, type Run, type Scale, type Side } from '../harness.ts';
import type { Service } from '../stage.ts';
import { connectTo, sharedService } from './service.ts';

export const small = 10_000;
export const large: Record<Scale, number> = { quick: 100_000, normal: 1_000_000, full: 1_000_000 };

export type SizedTable = { service: Service; database: pg.Client; database_url: string; rows: number };

/** Each size has its own database and service in the PostgreSQL that all rows share. */
export const sizedTable = (
  run: Run,
  of: string,
  rows: number,
  fill: (database: pg.Client, rows: number) => Promise<void>,
): Promise<SizedTable> =>
  run.shared(`${rows} ${of}`, async (stage) => {
    const name = `${of}_${rows}`;
    const shared = await sharedService(run);
    await (await connectTo(shared.database_url, stage)).query(`create database ${name}`);
    const database_url = Object.assign(new URL(shared.database_url), { pathname: `/${name}` }).href;
    const service = await stage.startService({ data_dir: stage.makeFolder(), database_url });
    const database = await connectTo(database_url, stage);
    await fill(database, rows);
    // The triggers queued every row; projecting them would disturb the measurement.
    await database.query('delete from projection_queue');
    await database.query('vacuum analyze');
    await database.query('checkpoint');
    return { service, database, database_url, rows };
  });

/** The median time of a page. One connection, so that no request waits for another. */
export const pageTime =
  (run: Run, { service }: Pick<SizedTable, 'service'>, paths: string[]): Side =>
  () =>
    costing([service.pid], async () => {
      const { requests, p50_ms } = await run.load({
        url: service.url,
        connections: 1,
        duration_ms: run.window_ms,
        max_requests: 100_000,
        method: 'GET',
        paths,
        headers: { authorization: `Bearer ${service.key}` },
        status: 200,
      });
      return { operations: requests, value: p50_ms };
    });

/** Ids like those of the service: they start with the time, so that the newest is the highest. */
export const id_of_n = `(lpad(to_hex(1780000000000 + n), 12, '0') || '70008' || substr(md5(n::text), 1, 15))::uuid`;
