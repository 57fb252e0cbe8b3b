// Limit of a create: connections that each insert one row per commit, with a prepared statement, into a copy of the real table.
import { nil_uuid } from '@parley/contract/limits';
import pg from 'pg';
import { systemClock } from '../../packages/server/src/platform/clock.ts';
import { uuidv7Ids } from '../../packages/server/src/platform/ids.ts';
import { answerQuestions } from '../side-process.ts';

export type SingleRowCommits = {
  database_url: string;
  table: string;
  /** The kind of the row. */
  of: 'contact' | 'sms' | 'email' | 'call';
  connections: number;
  duration_ms: number;
  max_rows: number;
  first_number: number;
};

const ids = uuidv7Ids(systemClock());
let clients: pg.Client[] = [];

const call_plan = {
  first_message: null,
  language: 'en',
  voice: null,
  model: null,
  ai_disclosure: true,
  max_duration_seconds: 600,
  brain: null,
};

const rowsOf: Record<SingleRowCommits['of'], { columns: string; values(number: string): unknown[] }> = {
  contact: {
    columns:
      'id, organization_id, kind, name, phone_e164, email, role, created_at, updated_at, email_key, search_text',
    values(number) {
      const [name, phone, email] = [`Contact ${number}`, `+1${number}`, `c${number}@example.com`];
      const now = new Date().toISOString();
      const search_text = `${name}\n${phone}\n${email}`.toLowerCase();
      return [ids.next(), nil_uuid, 'contact', name, phone, email, null, now, now, email, search_text];
    },
  },
  sms: {
    columns:
      'id, organization_id, conversation_id, direction, "from", "to", body, status, segments, encoding, provider, requested_at, metadata, origin, is_shared_sender, next_attempt_at, attempts, claims',
    values(number) {
      const now = new Date().toISOString();
      const [from, to, body] = ['+15005550110', '+15005550001', `Text ${number}`];
      const text = [
        nil_uuid,
        'outbound',
        from,
        to,
        body,
        'queued',
        1,
        'gsm7',
        'sandbox',
        now,
        '{}',
        'api',
        true,
        now,
        0,
        0,
      ];
      return [ids.next(), nil_uuid, ...text];
    },
  },
  call: {
    columns:
      'id, organization_id, conversation_id, direction, status, "to", requested_at, metadata, ring_timeout_seconds, is_recorded, plan',
    values() {
      const id = ids.next();
      const plan = { ...call_plan, system_prompt: 'Ask for their name.' };
      const now = new Date().toISOString();
      return [
        id,
        nil_uuid,
        id,
        'outbound',
        'queued',
        '+15005550201',
        now,
        '{}',
        30,
        false,
        JSON.stringify(plan),
      ];
    },
  },
  email: {
    columns:
      'id, organization_id, conversation_id, direction, from_address, to_addresses, cc_addresses, bcc_addresses, subject, status, provider, provider_message_id, requested_at, sent_at, metadata, body_text, message_id, references_ids, thread_key',
    values(number) {
      const now = new Date().toISOString();
      const id = ids.next();
      const [from, to, subject] = ['a@b.test', [`p${number}@example.org`], `Order ${number}`];
      const text = 'It left our house this morning.';
      const mail = [from, to, [], [], subject, 'sent', 'sandbox', `sandbox-${id}`, now, now, '{}', text];
      return [id, nil_uuid, ids.next(), 'outbound', ...mail, `<${id}@b.test>`, [], `thread-${number}-of-two`];
    },
  },
};

answerQuestions<SingleRowCommits, { rows: number; seconds: number }>(async (plan) => {
  if (clients.length === 0) {
    clients = Array.from({ length: plan.connections }, () =>
      // On Ctrl-C the database may stop first; a running query then fails.
      new pg.Client({ connectionString: plan.database_url }).on('error', () => {}),
    );
    await Promise.all(clients.map((client) => client.connect()));
  }
  const { columns, values } = rowsOf[plan.of];
  const text = `insert into ${plan.table} (${columns}) values (${columns.split(',').map((_, i) => `$${i + 1}`)})`;
  let rows = 0;
  const start = performance.now();
  const end = start + plan.duration_ms;
  const insertUntilTheEnd = async (client: pg.Client) => {
    while (rows < plan.max_rows && performance.now() < end) {
      const number = String(plan.first_number + rows++).padStart(10, '0');
      await client.query({ name: 'insert', text, values: values(number) });
    }
  };
  await Promise.all(clients.map(insertUntilTheEnd));
  return { rows, seconds: (performance.now() - start) / 1000 };
});
