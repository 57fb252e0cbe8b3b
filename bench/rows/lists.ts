// Whether a page costs the same in a large table as in a small one.
import { nil_uuid } from '@parley/contract/limits';
import type pg from 'pg';
import { cursors } from '../../packages/server/src/platform/db/page.ts';
import { costing, type Row, type Run, type Scale } from '../harness.ts';
import type { Service } from '../stage.ts';
import { connectTo, sharedService } from './service.ts';

const small = 10_000;
const large: Record<Scale, number> = { quick: 100_000, normal: 1_000_000, full: 1_000_000 };
const page_size = 50;
/** Several, so that no single page is the whole story; together they end well before the small table does. */
const deep_pages = 10;

type Table = { service: Service; first_pages: string[]; deep_pages: string[] };

export const listRows: Row[] = [
  listRow({
    name: 'list-first-page',
    subject: 'first page of 50 contacts, large table',
    pages: 'first_pages',
  }),
  listRow({ name: 'list-deep-page', subject: 'page of 50 after 90 % of a large table', pages: 'deep_pages' }),
];

function listRow(options: { name: string; subject: string; pages: 'first_pages' | 'deep_pages' }): Row {
  const { name, subject, pages } = options;
  return {
    name,
    subject,
    limit: `the same at ${small.toLocaleString('en')} rows`,
    unit: 'ms/page',
    target: { comparison: '<=', ratio: 1.25 },
    async prepare(run) {
      const limit = await tableOf(run, small);
      const subject = await tableOf(run, large[run.scale]);
      // One connection: the time of a page, not of a queue of pages.
      const side = (table: Table) => () =>
        costing([table.service.pid], async () => {
          const { requests, p50_ms } = await run.load({
            url: table.service.url,
            connections: 1,
            duration_ms: run.window_ms,
            max_requests: 100_000,
            method: 'GET',
            paths: table[pages],
            headers: { authorization: `Bearer ${table.service.key}` },
            status: 200,
          });
          return { operations: requests, value: p50_ms };
        });
      return { limit: side(limit), subject: side(subject) };
    },
  };
}

/** Each size has a database and a service of its own in the PostgreSQL that all rows share. */
const tableOf = (run: Run, rows: number): Promise<Table> =>
  run.shared(`${rows} contacts`, async (stage) => {
    const { database_url } = await sharedService(run);
    const name = `contacts_${rows}`;
    const server = await connectTo(database_url, stage);
    await server.query(`create database ${name}`);
    const url = Object.assign(new URL(database_url), { pathname: `/${name}` }).href;
    const service = await stage.startService({ data_dir: stage.makeFolder(), database_url: url });
    const database = await connectTo(url, stage);
    await fill(database, rows);
    return { service, ...(await findPages(service, database, rows)) };
  });

/** Ids as the service makes them: the time first, so that the newest is the highest. */
async function fill(database: pg.Client, rows: number): Promise<void> {
  await database.query(
    `insert into contacts
     select (lpad(to_hex(1780000000000 + n), 12, '0') || '70008' || substr(md5(n::text), 1, 15))::uuid, $1::uuid, 'contact',
            'Contact ' || n, '+1' || lpad(n::text, 10, '0'), 'c' || n || '@example.com', null, moment, moment,
            'c' || n || '@example.com', 'contact ' || n || E'\n+1' || lpad(n::text, 10, '0') || E'\nc' || n || '@example.com'
       from (select n, to_timestamp(1780000000 + n / 1000.0) as moment from generate_series(1, $2::int) n) rows`,
    [nil_uuid, rows],
  );
  await database.query('vacuum analyze contacts');
  await database.query('checkpoint');
}

async function findPages(service: Service, database: pg.Client, rows: number) {
  const list = cursors('contacts');
  const path = `/v1/contacts?limit=${page_size}`;
  // Newest first: behind 90 % of the rows stand those with the lowest numbers.
  const starts = Array.from({ length: deep_pages }, (_, page) => rows / 10 - page * page_size);
  const found = await database.query<{ id: string }>(
    'select id from contacts where phone_e164 = any($1) order by id desc',
    [starts.map((number) => `+1${String(number).padStart(10, '0')}`)],
  );
  const pages = {
    first_pages: [path],
    deep_pages: found.rows.map(({ id }) => `${path}&cursor=${list.write(id)}`),
  };
  await expectPage(service, pages.first_pages[0]!, rows);
  for (const [page, number] of starts.entries())
    await expectPage(service, pages.deep_pages[page]!, number - 1);
  return pages;
}

async function expectPage(service: Service, path: string, newest: number): Promise<void> {
  const headers = { authorization: `Bearer ${service.key}` };
  const { items } = (await (await fetch(`${service.url}${path}`, { headers })).json()) as {
    items: { name: string }[];
  };
  if (items.length !== page_size || items[0]!.name !== `Contact ${newest}`) {
    throw new Error(
      `${path} has ${items.length} items from ${items[0]?.name}, not ${page_size} from ${newest}`,
    );
  }
}
