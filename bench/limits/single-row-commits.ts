// Limit of a create: connections that each insert one contact a commit, prepared, into a table like the real one.
import { nil_uuid } from '@parley/contract/limits';
import pg from 'pg';
import { systemClock } from '../../packages/server/src/platform/clock.ts';
import { uuidv7Ids } from '../../packages/server/src/platform/ids.ts';
import { answerQuestions } from '../side-process.ts';

export type SingleRowCommits = {
  database_url: string;
  table: string;
  connections: number;
  duration_ms: number;
  max_rows: number;
  first_number: number;
};

const ids = uuidv7Ids(systemClock());
let clients: pg.Client[] = [];

answerQuestions<SingleRowCommits, { rows: number; seconds: number }>(async (plan) => {
  if (clients.length === 0) {
    clients = Array.from({ length: plan.connections }, () =>
      // On Ctrl-C the database may go first; a query under way fails by itself.
      new pg.Client({ connectionString: plan.database_url }).on('error', () => {}),
    );
    await Promise.all(clients.map((client) => client.connect()));
  }
  const text = `insert into ${plan.table} (id, organization_id, kind, name, phone_e164, email, role, created_at,
      updated_at, email_key, search_text) values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`;
  let rows = 0;
  const start = performance.now();
  const end = start + plan.duration_ms;
  const insertUntilTheEnd = async (client: pg.Client) => {
    while (rows < plan.max_rows && performance.now() < end) {
      const number = String(plan.first_number + rows++).padStart(10, '0');
      const [name, phone, email] = [`Contact ${number}`, `+1${number}`, `c${number}@example.com`];
      const now = new Date().toISOString();
      const search_text = `${name}\n${phone}\n${email}`.toLowerCase();
      const values = [
        ids.next(),
        nil_uuid,
        'contact',
        name,
        phone,
        email,
        null,
        now,
        now,
        email,
        search_text,
      ];
      await client.query({ name: 'insert', text, values });
    }
  };
  await Promise.all(clients.map(insertUntilTheEnd));
  return { rows, seconds: (performance.now() - start) / 1000 };
});
