// Reads a page of a list by keyset, newest first: a deep page costs as much as the first one.
import { createHash } from 'node:crypto';
import { ApiError } from '../http/api-error.ts';
import type { Queryable } from './database.ts';
import { type Sql, sql } from './sql.ts';

/** Cursors of one list; a cursor of another list, or a damaged one, cannot be read. */
export function cursors(list: string) {
  const check = (id: Buffer) => createHash('sha256').update(list).update(id).digest().subarray(0, 5);
  return {
    write(id: string): string {
      const bytes = Buffer.from(id.replaceAll('-', ''), 'hex');
      return Buffer.concat([bytes, check(bytes)]).toString('base64url');
    },
    read(cursor: string): string {
      const bytes = Buffer.from(cursor, 'base64url');
      const id = bytes.subarray(0, 16);
      if (
        bytes.length !== 21 ||
        !check(id).equals(bytes.subarray(16)) ||
        bytes.toString('base64url') !== cursor
      ) {
        throw new ApiError('invalid_cursor', {
          errors: [{ path: 'query.cursor', message: 'Not a cursor of this list', code: 'invalid' }],
        });
      }
      return id.toString('hex').replace(/(.{8})(.{4})(.{4})(.{4})(.{12})/, '$1-$2-$3-$4-$5');
    },
  };
}

export type PageRequest = { cursor?: string | undefined; limit: number };

export type Page<R> = { items: R[]; next_cursor: string | null };

/** One page of records. `columns` are the columns of a record as the API shows it, and must include `id`. */
export async function readPage<R extends { id: string }>(
  db: Queryable,
  list: ReturnType<typeof cursors>,
  page: PageRequest,
  query: { columns: Sql; from: Sql; where: Sql; alias?: string },
): Promise<Page<R>> {
  const id = sql.raw(query.alias ? `${query.alias}.id` : 'id');
  const before = page.cursor === undefined ? sql.empty : sql`and ${id} < ${list.read(page.cursor)}`;
  const rows = await db.rows<R>(sql`
    select ${query.columns} from ${query.from} where ${query.where} ${before}
     order by ${id} desc limit ${page.limit + 1}`);
  return pageOf(list, page, rows);
}

/** `rows` has one row more than the page when there are more. */
export function pageOf<R extends { id: string }>(
  list: ReturnType<typeof cursors>,
  { limit }: PageRequest,
  rows: R[],
): Page<R> {
  const items = rows.slice(0, limit);
  return { items, next_cursor: rows.length > limit ? list.write(items.at(-1)!.id) : null };
}
