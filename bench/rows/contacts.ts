// The cost of a durable create: a contact over HTTP against one row a commit in the same PostgreSQL.
import { costing, type Row, type Run } from '../harness.ts';
import type { SingleRowCommits } from '../limits/single-row-commits.ts';
import { connectTo, countRows, sharedService } from './service.ts';

const connections = 32;
/** A sample stops here even if its time is not over. */
const max_rows = 200_000;
const limit_table = 'single_row_commits';

export const contactRows: Row[] = [
  createRow({ name: 'create', subject: 'POST /v1/contacts', idempotency_keys: false }),
  createRow({
    name: 'create-with-key',
    subject: 'POST /v1/contacts, each with an Idempotency-Key',
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
  const service = await sharedService(run);
  const database = await connectTo(service.database_url, run.stage);
  await database.query(`drop table if exists ${limit_table}`);
  await database.query(`create table ${limit_table} (like contacts including all)`);
  await database.query('truncate contacts, idempotency_keys cascade');

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
          of: 'contact',
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
          paths: ['/v1/contacts'],
          headers: {
            authorization: `Bearer ${service.key}`,
            ...(idempotency_keys ? { 'idempotency-key': 'create-{number}' } : {}),
          },
          body: '{"name":"Contact {number}","phone_e164":"+1{number}","email":"c{number}@example.com"}',
          first_number: made,
          status: 201,
        });
        made += requests;
        return { operations: requests, value: requests / seconds };
      });
      await expectRows('contacts', made);
      if (idempotency_keys) await expectRows('idempotency_keys', made);
      return sample;
    },
  };
}
