// The cost of a durable create: a contact over HTTP compared with one row per commit in the same PostgreSQL.
import type { Row, Run } from '../harness.ts';
import { creates, oneRowCommits } from './one-row-commits.ts';
import { apiOnlyService, connectTo } from './service.ts';

const connections = 32;

export const contactRows: Row[] = [
  createRow({
    name: 'create',
    subject: 'POST /v1/contacts, indexed by other processes',
    idempotency_keys: false,
  }),
  createRow({
    name: 'create-with-key',
    subject: 'POST /v1/contacts, each with an Idempotency-Key, indexed by other processes',
    idempotency_keys: true,
  }),
];

function createRow(options: { name: string; subject: string; idempotency_keys: boolean }): Row {
  const { name, subject, idempotency_keys } = options;
  return {
    name,
    subject,
    limit: `one-row commits, ${connections} connections`,
    unit: 'creates/s',
    target: { comparison: '>=', ratio: 0.8 },
    prepare: (run) => prepareCreate(run, idempotency_keys),
  };
}

async function prepareCreate(run: Run, idempotency_keys: boolean) {
  const service = await apiOnlyService(run);
  const database = await connectTo(service.database_url, run.stage);
  await database.query('truncate contacts, idempotency_keys cascade');
  return {
    limit: await oneRowCommits(run, { service, database, of: 'contact', connections }),
    subject: creates(run, {
      service,
      database,
      connections,
      path: '/v1/contacts',
      body: '{"name":"Contact {number}","phone_e164":"+1{number}","email":"c{number}@example.com"}',
      headers: idempotency_keys ? { 'idempotency-key': 'create-{number}' } : {},
      rows_in: idempotency_keys ? ['contacts', 'idempotency_keys'] : ['contacts'],
    }),
  };
}
