// The SQL of the request log.
import { type ColumnKind, columnNames, columnRows } from '../../../platform/db/column-rows.ts';
import type { Database } from '../../../platform/db/database.ts';
import { cursors, type PageRequest, readPage } from '../../../platform/db/page.ts';
import { sql } from '../../../platform/db/sql.ts';
import type { HandledRequest } from '../../../platform/http/handled-request.ts';
import { firstIdAt, isUuid } from '../../../platform/ids.ts';

/** `id` is the request id if the service chose that one. It sorts by time. */
export type RequestRow = Omit<HandledRequest, 'id_from_client'> & { id: string };

const kinds = {
  organization_id: 'uuid',
  request_id: 'text',
  id: 'uuid',
  operation: 'text',
  method: 'text',
  path: 'text',
  status: 'int',
  code: 'text',
  credential_kind: 'text',
  credential_id: 'text',
  object_id: 'uuid',
  duration_us: 'bigint',
} satisfies Record<keyof RequestRow, ColumnKind>;
const columns = sql`organization_id, request_id, id, operation, method, path, status, code, credential_kind, credential_id,
  object_id, duration_us::float8 as duration_us`;
const list_cursors = cursors('requests');
const delete_batch = 5000;

export const requestLogStore = (db: Database) => ({
  /** Rows of many organizations. A crash may lose the last ones: the log is no record of what was sent. */
  insert: (rows: readonly RequestRow[]) =>
    db.transaction(async (tx) => {
      await tx.run(sql`select set_config('synchronous_commit', 'off', true)`);
      await tx.run(sql`insert into request_log (${columnNames(kinds)}) ${columnRows(rows, kinds)}`);
    }),

  /** The newest one: a client may use an id twice, also one that the service chose before. */
  find: (organization_id: string, request_id: string) =>
    db.maybe<RequestRow>(sql`
      select ${columns} from request_log
       where organization_id = ${organization_id} and request_id = ${request_id} and request_id <> id::text
      union all
      select ${columns} from request_log
       where organization_id = ${organization_id} and id = ${isUuid(request_id) ? request_id : null}
         and request_id = ${request_id}
       order by id desc limit 1`),

  list: (organization_id: string, { object_id, ...page }: PageRequest & { object_id?: string | undefined }) =>
    readPage<RequestRow>(db, list_cursors, page, {
      columns,
      from: sql`request_log`,
      where: sql`organization_id = ${organization_id}
        ${object_id === undefined ? sql.empty : sql`and object_id = ${object_id}`}`,
    }),

  /** The first requests about a record: those that created and changed it, without the many that read it. */
  changesOf: (organization_id: string, object_id: string, limit: number) =>
    db.rows<RequestRow>(sql`
      select ${columns} from request_log
       where organization_id = ${organization_id} and object_id = ${object_id} and method <> 'GET'
       order by id limit ${limit}`),

  /** Only where a partition covers a longer time than usual. False when there may be more. */
  async deleteBefore(time: Date): Promise<boolean> {
    const deleted = await db.run(sql`
      with old as (select organization_id, id from request_log where id < ${firstIdAt(time)} limit ${delete_batch})
      delete from request_log r using old
       where r.organization_id = old.organization_id and r.id = old.id`);
    return deleted < delete_batch;
  },
});
export type RequestLogStore = ReturnType<typeof requestLogStore>;
