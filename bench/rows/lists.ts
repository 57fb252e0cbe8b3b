// Compares the time of a page in a large table with that in a small one.
import { nil_uuid } from '@parley/contract/limits';
import type pg from 'pg';
import { cursors } from '../../packages/server/src/platform/db/page.ts';
import type { Row } from '../harness.ts';
import type { Service } from '../stage.ts';
import { id_of_n, large, pageTime, type SizedTable, sizedTable, small } from './sized-tables.ts';

const page_size = 50;
/** Several pages, so that no single page decides; together they are fewer than the small table has. */
const deep_pages = 10;

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
      const side = async (rows: number) => {
        const table = await sizedTable(run, 'contacts', rows, fillContacts);
        return pageTime(run, table, (await findPages(table))[pages]);
      };
      return { limit: await side(small), subject: await side(large[run.scale]) };
    },
  };
}

export async function fillContacts(database: pg.Client, rows: number): Promise<void> {
  await database.query(
    `insert into contacts
     select ${id_of_n}, $1::uuid, 'contact',
            'Contact ' || n, '+1' || lpad(n::text, 10, '0'), 'c' || n || '@example.com', null, moment, moment,
            'c' || n || '@example.com', 'contact ' || n || E'\n+1' || lpad(n::text, 10, '0') || E'\nc' || n || '@example.com'
       from (select n, to_timestamp(1780000000 + n / 1000.0) as moment from generate_series(1, $2::int) n) rows`,
    [nil_uuid, rows],
  );
}

async function findPages({ service, database, rows }: SizedTable) {
  const list = cursors('contacts');
  const path = `/v1/contacts?limit=${page_size}`;
  // Newest first: the last 10 % of the list are the rows with the lowest numbers.
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
