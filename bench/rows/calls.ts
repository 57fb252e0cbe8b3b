// The cost of taking a call: POST /v1/calls against one row a commit in the same PostgreSQL.
import { costing, type Row } from '../harness.ts';
import { expectRows, max_rows, oneRowCommits } from './one-row-commits.ts';
import { connectTo } from './service.ts';

const connections = 32;

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
      await database.query('truncate calls, call_events');
      const limit = await oneRowCommits(run, { service, database, of: 'call', connections });
      let made = 0;
      return {
        limit,
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
          await expectRows(database, 'calls', made);
          return sample;
        },
      };
    },
  },
];
