// Explain in a large event log: one text with its events, deliveries and requests among a million events.
import { nil_uuid } from '@parley/contract/limits';
import type pg from 'pg';
import type { Row } from '../harness.ts';
import { id_of_n, large, pageTime, type SizedTable, sizedTable } from './sized-tables.ts';

const limit_ms = 20;
const texts = 100;

export const explainRows: Row[] = [
  {
    name: 'explain',
    subject: 'explain a text in a log of 1,000,000 events, median',
    limit: `${limit_ms} ms`,
    unit: 'ms/explanation',
    target: { comparison: '<=', ratio: 1 },
    async prepare(run) {
      const table = await sizedTable(run, 'explain', large[run.scale], fillEvents);
      return {
        limit: async () => ({ value: limit_ms, cpu_us_per_op: 0 }),
        subject: pageTime(run, table, await explainPaths(table)),
      };
    },
  },
];

const explainPaths = async ({ database }: SizedTable): Promise<string[]> => {
  const found = await database.query<{ id: string }>('select id from sms_messages order by id limit $1', [
    texts,
  ]);
  return found.rows.map(({ id }) => `/v1/sms/${id}/explain`);
};

/** Ten texts per thousand events have a history; every text has an event with a delivery and the request that created it. */
async function fillEvents(database: pg.Client, rows: number): Promise<void> {
  await database.query(
    `insert into webhook_subscriptions (id, organization_id, target_url, event_types, status, dead_streak, secret_sealed, created_at, updated_at)
     values ('00000000-0000-7000-8000-000000000001', $1, 'http://127.0.0.1:9/', '{sms.delivered}', 'disabled', 0, '', now(), now())`,
    [nil_uuid],
  );
  await database.query(
    `insert into sms_messages (id, organization_id, conversation_id, direction, "from", "to", body, status, segments, encoding,
       provider, requested_at, sent_at, delivered_at, metadata, origin, is_shared_sender, attempts, claims)
     select ${id_of_n}, $1::uuid, ${id_of_n}, 'outbound', '+15005550100', '+15005550001', 'Hello', 'delivered', 1, 'gsm7',
            'sandbox', moment, moment, moment, '{}', 'api', false, 1, 1
       from (select n, to_timestamp(1780000000 + n / 1000.0) as moment from generate_series(1, $2::int, 100) n) rows`,
    [nil_uuid, rows],
  );
  await database.query(
    `insert into events (id, organization_id, type, resource_id, created_at, payload)
     select ${id_of_n}, $1::uuid, 'sms.delivered', ${id_of_n}, to_timestamp(1780000000 + n / 1000.0), '{}'
       from generate_series(1, $2::int) n`,
    [nil_uuid, rows],
  );
  await database.query(
    `insert into webhook_deliveries (id, organization_id, subscription_id, event_id, event_type, status, ladder_left, claimable_at,
       is_leased, claim_no, is_manual, attempts, created_at)
     select overlay(e.id::text placing '8' || substr(md5(e.id::text || s.id::text), 1, 3) || '-' || substr(md5(e.id::text || s.id::text), 4, 12) from 20)::uuid,
            $1::uuid, s.id, e.id, e.type, 'delivered', 0, e.created_at, false, 1, false,
            '[{"attempted_at":"2026-06-06T12:00:00.000Z","status_code":200,"duration_ms":5,"error":null,"response_body":null}]', e.created_at
       from events e, webhook_subscriptions s`,
    [nil_uuid],
  );
  await database.query(
    `insert into request_log (organization_id, request_id, id, operation, method, path, status, credential_kind, credential_id, object_id, duration_us)
     select $1::uuid, 'req-' || n, ${id_of_n}, 'sms.create', 'POST', '/v1/sms', 201, 'shared_key', 'shared_key', ${id_of_n}, 3000
       from generate_series(1, $2::int) n`,
    [nil_uuid, rows],
  );
}
