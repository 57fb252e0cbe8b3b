// The cost of taking a call: POST /v1/calls against one row a commit in the same PostgreSQL.
import { costing, type Row } from '../harness.ts';
import type { SingleRowCommits } from '../limits/single-row-commits.ts';
import { connectTo, countRows } from './service.ts';

const connections = 32;
/** A sample stops here even if its time is not over. */
const max_rows = 200_000;
const limit_table = 'single_call_commits';

export const callRows: Row[] = [
  {
    name: 'call-create',
    subject: 'POST /v1/calls, led by other processes',
    limit: `one-row commits, ${connections} connections`,
    unit: 'creates/s',
    target: { comparison: '>=', ratio: 0.8 },
    async prepare(run) {
      // Only the taking is measured: leading calls is the work of the worker role.
      const service = await run.shared('api-only', async (stage) =>
        stage.startService({ data_dir: stage.makeFolder(), environment: { PARLEY_ROLES: 'api' } }),
      );
      const database = await connectTo(service.database_url, run.stage);
      await database.query(`drop table if exists ${limit_table}`);
      await database.query(`create table ${limit_table} (like calls including all)`);
      await database.query('truncate calls, call_events');
      const committer = run.stage.startSide<SingleRowCommits, { rows: number; seconds: number }>(
        new URL('../limits/single-row-commits.ts', import.meta.url),
      );
      let made = 0;
      let committed = 0;
      const expectRows = async (table: string, expected: number) => {
        const found = await countRows(database, table);
        if (found !== expected) throw new Error(`${expected} rows were confirmed, ${table} holds ${found}`);
      };
      return {
        limit: async () => {
          const sample = await costing([committer.pid, service.pid], async () => {
            const { rows, seconds } = await committer.ask({
              database_url: service.database_url,
              table: limit_table,
              of: 'call',
              connections,
              duration_ms: run.window_ms,
              max_rows,
              first_number: committed,
            });
            committed += rows;
            return { operations: rows, value: rows / seconds };
          });
          await expectRows(limit_table, committed);
          return sample;
        },
        subject: async () => {
          const sample = await costing([service.pid], async () => {
            const { requests, seconds } = await run.load({
              url: service.url,
              connections,
              duration_ms: run.window_ms,
              max_requests: max_rows,
              method: 'POST',
              paths: ['/v1/calls'],
              headers: { authorization: `Bearer ${service.key}` },
              body: '{"to":"+15005550201","recipient_consent":true,"system_prompt":"Ask for their name.","metadata":{"number":"{number}"}}',
              first_number: made,
              status: 201,
            });
            made += requests;
            return { operations: requests, value: requests / seconds };
          });
          await expectRows('calls', made);
          return sample;
        },
      };
    },
  },
];
