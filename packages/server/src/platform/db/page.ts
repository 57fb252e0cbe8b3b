// Reads a page of a list by keyset, newest first: a deep page costs as much as the first one. PostgreSQL writes the JSON.
import { createHash } from 'node:crypto';
import { ApiError } from '../http/api-error.ts';
import { JsonText } from '../http/json-text.ts';
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

/**
 * One page of records as JSON text. `columns` are the columns of a record as the API shows it, and must include `id`.
 * `json` is the column of a record that is stored as JSON text; its value is returned unchanged.
 */
export async function readPage(
  db: Queryable,
  list: ReturnType<typeof cursors>,
  page: PageRequest,
  query: { columns: Sql; from: Sql; where: Sql; alias?: string; json?: Sql },
): Promise<JsonText> {
  const id = sql.raw(query.alias ? `${query.alias}.id` : 'id');
  const before = page.cursor === undefined ? sql.empty : sql`and ${id} < ${list.read(page.cursor)}`;
  const rows = await db.rows<{ id: string; json: string }>(sql`
    select id, ${query.json ?? sql`row_to_json(record)::text`} as json
      from (select ${query.columns} from ${query.from} where ${query.where} ${before}
             order by ${id} desc limit ${page.limit + 1}) record`);
  const more = rows.length > page.limit;
  if (more) rows.pop();
  const next = more ? `"${list.write(rows.at(-1)!.id)}"` : 'null';
  return new JsonText(`{"items":[${rows.map((row) => row.json).join(',')}],"next_cursor":${next}}`);
}
