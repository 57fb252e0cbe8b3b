// The filters that the lists of messages and calls share. Filters by time use the keys of the table; filters by words and
// people use the search index, which returns ids.
import type { SearchTerm } from '@parley/contract/inbox/search/search-query';
import { firstIdAt } from '../ids.ts';
import type { Queryable } from './database.ts';
import { type cursors, type Page, type PageRequest, readPage } from './page.ts';
import { type Sql, sql } from './sql.ts';

export type ListFilter = {
  q?: SearchTerm[] | undefined;
  from?: string | undefined;
  to?: string | undefined;
  since?: string | undefined;
  until?: string | undefined;
  label?: string | undefined;
  metadata?: Record<string, string> | undefined;
  held?: 'true' | 'false' | undefined;
  direction?: string | undefined;
  /** Only these threads. */
  conversation_ids?: readonly string[] | undefined;
};

/** Finds records by the search index, newest first. `next` continues behind them; null when there are no more. */
export type FindIds = (request: {
  organization_id: string;
  noun: 'email' | 'sms' | 'call' | 'quarantine';
  filter: ListFilter;
  below: string | null;
  limit: number;
}) => Promise<{ ids: string[]; next: string | null }>;

/** After this many steps a page may be short: its cursor continues. */
const max_steps = 5;

export const timeConditions = ({ since, until, held }: ListFilter): Sql[] => [
  ...(since ? [sql`id >= ${firstIdAt(new Date(since))}`] : []),
  ...(until ? [sql`id < ${firstIdAt(new Date(until))}`] : []),
  ...(held ? [held === 'true' ? sql`hold is not null` : sql`hold is null`] : []),
];

export function inThreads(ids: readonly string[] | undefined): Sql[] {
  if (!ids) return [];
  const [first, ...others] = ids;
  // One id keeps the order of the index.
  if (first !== undefined && others.length === 0) return [sql`conversation_id = ${first}`];
  return [sql`conversation_id = any(${ids}::uuid[])`];
}

type ListQuery = { columns: Sql; from: Sql; where: Sql };
type IndexSearch = {
  organization_id: string;
  noun: 'email' | 'sms' | 'call' | 'quarantine';
  findIds: FindIds;
};

/** `where` has the conditions that the table can check. Of `filter`, only what needs the index is passed to it. */
export async function readFilteredPage<R extends { id: string }>(
  db: Queryable,
  list: ReturnType<typeof cursors>,
  page: PageRequest,
  query: ListQuery,
  { filter, ...index }: IndexSearch & { filter: ListFilter },
): Promise<Page<R>> {
  const { q, from, to, label, metadata } = filter;
  if (q === undefined && !from && !to && !label && !metadata) return readPage(db, list, page, query);
  const rows: R[] = [];
  let below = page.cursor === undefined ? null : list.read(page.cursor);
  for (let step = 0; step < max_steps && rows.length <= page.limit; step++) {
    const page_of_ids = await index.findIds({ ...index, filter, below, limit: page.limit + 1 });
    below = page_of_ids.next;
    if (page_of_ids.ids.length > 0) rows.push(...(await readByIds<R>(db, query, page_of_ids.ids)));
    if (below === null) break;
  }
  const has_more = rows.length > page.limit;
  const items = rows.slice(0, page.limit);
  const next = has_more ? items.at(-1)!.id : below;
  return { items, next_cursor: next === null ? null : list.write(next) };
}

const readByIds = <R>(db: Queryable, { columns, from, where }: ListQuery, ids: string[]) =>
  db.rows<R>(sql`
    select ${columns} from ${from} where ${where} and id = any(${ids}::uuid[]) order by id desc`);
