// The projector: how many records it writes in a second of processor time, and how late they are while texts are created.
import { setTimeout as delay } from 'node:timers/promises';
import { nil_uuid } from '@parley/contract/limits';
import { processorTime_us } from '../cpu.ts';
import { constant, costing, type Row, type Run } from '../harness.ts';
import type { Service } from '../stage.ts';
import { posts } from './one-row-commits.ts';
import { apiOnlyService, connectTo } from './service.ts';
import { id_of_n, sizedTable, small } from './sized-tables.ts';

const projected_per_core_second = 1000;
const projected_records = 20_000;
const connections = 32;
const sample_every_ms = 50;

export const projectorRows: Row[] = [
  {
    name: 'projector',
    subject: 'texts that the projector indexes in a second of processor time, database included',
    limit: `${projected_per_core_second} per second`,
    unit: 'records/s',
    target: { comparison: '>=', ratio: 1 },
    prepare: prepareSpeed,
  },
  {
    name: 'projector-lag',
    subject:
      'age of the oldest text that is not indexed, 95th percentile, while texts are created without a pause',
    limit: 'allowed',
    unit: 's',
    target: { comparison: '<=', ratio: 1 },
    fixed_time: true,
    prepare: prepareLag,
  },
  {
    name: 'projection-queue',
    subject: 'POST /v1/sms, with the trigger that queues the text for the projector',
    limit: 'the same without the trigger',
    unit: 'creates/s',
    target: { comparison: '>=', ratio: 0.95 },
    prepare: prepareQueue,
  },
];

async function prepareSpeed(run: Run) {
  const { service, database } = await sizedTable(run, 'projected', small, async () => {});
  const write = (round: number) =>
    database.query(
      `insert into sms_messages (id, organization_id, conversation_id, direction, "from", "to", body, status, segments, encoding,
         provider, requested_at, metadata, origin, is_shared_sender, attempts, claims)
       select ${id_of_n}, $1::uuid, ${id_of_n}, 'inbound', '+15005550001', '+15005550100',
              'Your order number ' || n || ' left our house this morning and arrives on Tuesday', 'received', 1, 'gsm7', 'sandbox',
              now(), '{"order":"7"}', 'carrier', false, 0, 0
         from generate_series($2::int, $3::int) n`,
      [nil_uuid, round * projected_records + 1, (round + 1) * projected_records],
    );
  const isEmpty = async () =>
    (await database.query('select 1 from projection_queue limit 1')).rows.length === 0;
  let round = 0;
  return {
    limit: constant(projected_per_core_second),
    subject: () =>
      costing([service.pid], async () => {
        const postgres = await database.query<{ pid: number }>(
          `select pid from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`,
        );
        const pids = [service.pid, ...postgres.rows.map(({ pid }) => pid)];
        const before_us = processorTime_us(pids) ?? 0;
        await write(round++);
        while (!(await isEmpty())) await new Promise((resolve) => setTimeout(resolve, 20));
        const seconds = ((processorTime_us(pids) ?? 0) - before_us) / 1_000_000;
        return { operations: projected_records, value: projected_records / seconds };
      }),
  };
}

/** The age of a record is in its id, whose first 48 bits are the milliseconds of its creation. */
const oldest_age = `
  select extract(epoch from now()) * 1000 - ('x' || left(replace(min(id::text), '-', ''), 12))::bit(48)::bigint as ms
    from projection_queue`;

const textLoad = ({ key }: Service) => ({
  connections,
  paths: ['/v1/sms'],
  headers: { authorization: `Bearer ${key}` },
  body: '{"to":"+15005550001","body":"Text {number}","recipient_consent":true}',
  status: 201,
});

async function prepareLag(run: Run) {
  // The processes of other rows leave a long queue.
  const api = await apiOnlyService(run, 'api-beside-a-worker');
  await run.stage.startService({
    data_dir: run.stage.makeFolder(),
    database_url: api.database_url,
    environment: { PARLEY_ROLES: 'api,worker' },
  });
  const database = await connectTo(api.database_url, run.stage);
  const measure = async () => {
    const ages_ms: number[] = [];
    let is_over = false;
    const watch = async () => {
      while (!is_over) {
        const { rows } = await database.query<{ ms: string | null }>(oldest_age);
        ages_ms.push(Number(rows[0]!.ms ?? 0));
        await delay(sample_every_ms);
      }
    };
    const watching = watch();
    const sample = await posts(run, api, textLoad(api));
    is_over = true;
    await watching;
    ages_ms.sort((a, b) => a - b);
    return { ...sample, value: ages_ms[Math.floor(ages_ms.length * 0.95)]! / 1000 };
  };
  return { limit: constant(1), subject: measure };
}

async function prepareQueue(run: Run) {
  const service = await apiOnlyService(run, 'api-with-and-without-triggers');
  const database = await connectTo(service.database_url, run.stage);
  const side = (change: 'enable' | 'disable') => async () => {
    await database.query(`alter table sms_messages ${change} trigger user`);
    return posts(run, service, textLoad(service));
  };
  return { limit: side('disable'), subject: side('enable') };
}
