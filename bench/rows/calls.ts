// The cost of creating a call: POST /v1/calls compared with one row per commit in the same PostgreSQL.
import type { Row } from '../harness.ts';
import { creates, oneRowCommits } from './one-row-commits.ts';
import { apiOnlyService, connectTo } from './service.ts';

const connections = 32;

export const callRows: Row[] = [
  {
    name: 'call-create',
    subject: 'POST /v1/calls, run by other processes',
    limit: `one-row commits, ${connections} connections`,
    unit: 'creates/s',
    target: { comparison: '>=', ratio: 0.8 },
    async prepare(run) {
      // Only creating calls is measured: running them is the work of the worker role.
      const service = await apiOnlyService(run);
      const database = await connectTo(service.database_url, run.stage);
      await database.query('truncate calls, call_events');
      return {
        limit: await oneRowCommits(run, { service, database, of: 'call', connections }),
        subject: creates(run, {
          service,
          database,
          connections,
          path: '/v1/calls',
          body: '{"to":"+15005550201","recipient_consent":true,"system_prompt":"Ask for their name.","metadata":{"number":"{number}"}}',
          rows_in: ['calls'],
        }),
      };
    },
  },
];
