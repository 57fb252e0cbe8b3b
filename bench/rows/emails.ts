// Email records: statistics and pages in a large table, and the upload of a large file.
import { createHash, randomBytes } from 'node:crypto';
import { nil_uuid } from '@parley/contract/limits';
import type pg from 'pg';
import { emailStatistics } from '../../packages/server/src/features/channels/emails/statistics/statistics.ts';
import { systemClock } from '../../packages/server/src/platform/clock.ts';
import { openDatabase } from '../../packages/server/src/platform/db/database.ts';
import { constant, type Row, type Run } from '../harness.ts';
import { memoryOf, resetPeak } from '../memory.ts';
import type { Service } from '../stage.ts';
import { id_of_n, large, pageTime, sizedTable, small } from './sized-tables.ts';

const statistics_limit_ms = 5;
const file_bytes = 25 * 1024 * 1024;
const file_limit_mb = 40;

export const emailRows: Row[] = [
  {
    name: 'email-statistics',
    subject: 'thirty days of statistics in a large table, in the database',
    limit: `${statistics_limit_ms} ms`,
    unit: 'ms',
    target: { comparison: '<=', ratio: 1 },
    prepare: prepareStatistics,
  },
  {
    name: 'email-list',
    subject: 'first page of 50 emails, large table',
    limit: `the same at ${small.toLocaleString('en')} rows`,
    unit: 'ms/page',
    target: { comparison: '<=', ratio: 1.25 },
    prepare: prepareList,
  },
  {
    name: 'email-attachment',
    subject: 'memory used by a file of 25 MiB while it is uploaded',
    limit: `${file_limit_mb} MB`,
    unit: 'MB',
    target: { comparison: '<=', ratio: 1 },
    undisturbed: true,
    prepare: prepareFile,
  },
];

/** Emails of the last thirty days, each sent and delivered, with their counters. */
async function fill(database: pg.Client, rows: number): Promise<void> {
  await database.query(
    `insert into emails (id, organization_id, conversation_id, direction, from_address, to_addresses, cc_addresses,
       bcc_addresses, subject, status, last_outcome, provider, requested_at, sent_at, metadata, body_text, message_id, references_ids, thread_key)
     select id, $1::uuid, id, 'outbound', 'a@b.test', array['p' || n || '@example.org'], '{}', '{}', 'Order ' || n, 'sent', 'delivered',
            'sandbox', moment, moment, '{}', 'It left our house this morning.', '<' || id || '@b.test>', '{}', substr(md5(n::text), 1, 22)
       from (select n, now() - ($2::int - n) * interval '30 days' / $2::int as moment,
                    ${id_of_n} as id
               from generate_series(1, $2::int) n) made`,
    [nil_uuid, rows],
  );
  await database.query(`
    insert into email_events (id, organization_id, email_id, kind, occurred_at, detail, dedupe_key, counted)
    select id, organization_id, id, 'delivered', sent_at, '{}', 'delivered', '{sent,delivered}' from emails`);
  await database.query(`
    insert into email_counters
    select organization_id, date_trunc('hour', occurred_at), case when occurred_at > now() - interval '2 hours' then n % 16 else 0 end, count(*), count(*), 0, 0, 0, 0, 0, 0, 0, 0, 0
      from (select organization_id, occurred_at, row_number() over () as n from email_events) e group by 1, 2, 3`);
}

async function prepareStatistics(run: Run) {
  const rows = large[run.scale];
  const { database_url } = await sizedTable(run, 'emails', rows, fill);
  const db = openDatabase({ url: database_url, max_connections: 1 });
  run.stage.atClose(() => db.close());
  let answered_ms = 0;
  const timed: typeof db = {
    ...db,
    async maybe<T>(query: Parameters<typeof db.maybe>[0]) {
      const start = performance.now();
      const row = await db.maybe<T>(query);
      answered_ms = performance.now() - start;
      return row;
    },
  };
  const statistics = emailStatistics({ db: timed, clock: systemClock() });
  return {
    limit: async () => ({ value: statistics_limit_ms, cpu_us_per_op: 0 }),
    subject: async () => {
      const times: number[] = [];
      for (let i = 0; i < 30; i++) {
        const { totals } = await statistics(nil_uuid, { bucket: i % 2 ? 'hour' : 'day' });
        times.push(answered_ms);
        if (totals.sent < rows * 0.99) throw new Error(`${totals.sent} of ${rows} emails were counted`);
      }
      return { value: times.sort((a, b) => a - b)[15]!, cpu_us_per_op: 0 };
    },
  };
}

async function prepareList(run: Run) {
  const paths = ['/v1/emails', '/v1/emails?status=sent', '/v1/emails?direction=outbound'];
  const side = async (rows: number) => pageTime(run, await sizedTable(run, 'emails', rows, fill), paths);
  return { limit: await side(small), subject: await side(large[run.scale]) };
}

async function prepareFile(run: Run) {
  const upload = async ({ url, key }: Service, content: Buffer) => {
    const form = new FormData();
    form.append('file', new Blob([new Uint8Array(content)]), 'file.bin');
    const headers = { authorization: `Bearer ${key}` };
    const answer = await fetch(`${url}/v1/email-attachments`, { method: 'POST', headers, body: form });
    const { size_bytes, sha256 } = (await answer.json()) as { size_bytes: number; sha256: string };
    if (size_bytes !== content.length || sha256 !== createHash('sha256').update(content).digest('hex'))
      throw new Error(`${answer.status}: ${size_bytes} bytes of ${content.length} were stored`);
  };
  return {
    limit: constant(file_limit_mb),
    // A new process for every sample: a process that received such a file before keeps the memory.
    subject: async () => {
      const service = await run.stage.startService({ data_dir: run.stage.makeFolder() });
      await upload(service, randomBytes(10_000));
      const { resident } = memoryOf(service.pid);
      resetPeak(service.pid);
      await upload(service, randomBytes(file_bytes));
      const { peak } = memoryOf(service.pid);
      await service.stop();
      return { value: (peak - resident) / 1024 / 1024 };
    },
  };
}
