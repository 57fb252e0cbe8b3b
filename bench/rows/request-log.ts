// What the request log costs: creating contacts with it, compared with a process that does not keep it.
import type { Row, Run } from '../harness.ts';
import { creates } from './one-row-commits.ts';
import { apiOnlyService, connectTo } from './service.ts';

const connections = 32;

export const requestLogRow: Row = {
  name: 'request-log',
  subject: 'POST /v1/contacts with the request log',
  limit: 'the same without it',
  unit: 'creates/s',
  target: { comparison: '>=', ratio: 0.9 },
  async prepare(run) {
    const without = await side(run, 'api-only-unlogged', { PARLEY_REQUEST_LOG_DAYS: '0' });
    return { limit: without, subject: await side(run, 'api-only', {}) };
  },
};

async function side(run: Run, name: string, environment: Record<string, string>) {
  const service = await apiOnlyService(run, name, environment);
  const database = await connectTo(service.database_url, run.stage);
  await database.query('truncate contacts cascade');
  return creates(run, {
    service,
    database,
    connections,
    path: '/v1/contacts',
    body: '{"name":"Contact {number}","phone_e164":"+1{number}","email":"c{number}@example.com"}',
    rows_in: ['contacts'],
  });
}
