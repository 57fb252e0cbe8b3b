// Reads and writes whole tables as JSON lines, for backups. Independent of PostgreSQL's version and of its programs.
import type { Queryable } from './database.ts';
import { sql } from './sql.ts';

export type DumpedTable = { schema: string; name: string };

const fetched_rows = 1000;
/** A batch of this size is inserted at once, or earlier when it has `fetched_rows`. */
const batch_bytes = 4 * 1024 * 1024;

/** Columns whose values do not leave the database, or have no meaning in another one. */
const replaced: Record<string, Record<string, string>> = {
  // A backup never contains the master key.
  'public.master_key': { kept_key: 'null' },
  // A transaction number of the old server, which may be in the future of the new one. Restored events are ordered by id.
  'public.events': { position: `'3'::xid8` },
  'public.wait_followers': { position: `'3'::xid8` },
};

/** Written from other tables: triggers queue every restored record, and the projector writes what is derived from it. */
const derived_tables = ['projection_queue', 'projection_fills', 'search_documents'];

const nameOf = ({ schema, name }: DumpedTable) => `${schema}.${name}`;
const identifier = (name: string) => `"${name.replaceAll('"', '""')}"`;
const tableSql = ({ schema, name }: DumpedTable) => sql.raw(`${identifier(schema)}.${identifier(name)}`);

/** All tables with durable content, referenced tables first. The list of migrations is not content. */
export async function dumpableTables(on: Queryable): Promise<DumpedTable[]> {
  const tables = await on.rows<DumpedTable & { needs: string[] }>(sql`
    select n.nspname::text as schema, c.relname::text as name, array(
             select distinct rn.nspname || '.' || rc.relname from pg_constraint f
               join pg_class rc on rc.oid = f.confrelid join pg_namespace rn on rn.oid = rc.relnamespace
              where f.contype = 'f' and f.conrelid = c.oid and f.confrelid <> c.oid) as needs
      from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where n.nspname in ('public', 'accounts') and c.relkind in ('r', 'p') and not c.relispartition
       and c.relpersistence = 'p' and (n.nspname, c.relname) <> ('public', 'migrations')
       and not (n.nspname = 'public' and c.relname = any(${derived_tables}))
     order by 1, 2`);
  const sorted: DumpedTable[] = [];
  const done = new Set<string>();
  while (sorted.length < tables.length) {
    const next = tables.filter(
      (table) => !done.has(nameOf(table)) && table.needs.every((each) => done.has(each)),
    );
    if (next.length === 0) throw new Error('The references between tables form a cycle.');
    for (const table of next) {
      done.add(nameOf(table));
      sorted.push({ schema: table.schema, name: table.name });
    }
  }
  return sorted;
}

/** One JSON object per row. Needs a transaction. */
export async function* dumpRows(tx: Queryable, table: DumpedTable): AsyncGenerator<string[]> {
  const columns = await columnsOf(tx, table);
  await tx.run(sql`
    declare dumped no scroll cursor for
     select row_to_json(r)::text as line from (select ${sql.raw(selectList(table, columns, asText))} from ${tableSql(table)}) r`);
  for (;;) {
    const rows = await tx.rows<{ line: string }>(sql`fetch ${sql.raw(String(fetched_rows))} from dumped`);
    if (rows.length === 0) break;
    yield rows.map(({ line }) => line);
  }
  await tx.run(sql`close dumped`);
}

/** Inserts the rows and returns how many. */
export async function loadRows(
  tx: Queryable,
  table: DumpedTable,
  lines: AsyncIterable<string>,
): Promise<number> {
  const columns = await columnsOf(tx, table);
  const names = sql.raw(columns.map(({ name }) => identifier(name)).join(', '));
  const types = sql.raw(
    columns.map((column) => `${identifier(column.name)} ${dumpedType(column)}`).join(', '),
  );
  let count = 0;
  let batch: string[] = [];
  let bytes = 0;
  const flush = async () => {
    if (batch.length === 0) return;
    count += await tx.run(
      sql.replanned(sql`
      insert into ${tableSql(table)} (${names})
      select ${sql.raw(selectList(table, columns, fromText))}
        from json_to_recordset(${`[${batch.join(',')}]`}::json) as r (${types})`),
    );
    [batch, bytes] = [[], 0];
  };
  for await (const line of lines) {
    batch.push(line);
    bytes += line.length;
    if (batch.length >= fetched_rows || bytes >= batch_bytes) await flush();
  }
  await flush();
  return count;
}

/** Some migrations insert rows; a backup has its own. */
export const clearTable = (tx: Queryable, table: DumpedTable) => tx.run(sql`delete from ${tableSql(table)}`);

type Column = { name: string; type: string };

async function columnsOf(on: Queryable, { schema, name }: DumpedTable): Promise<Column[]> {
  return on.rows<Column>(sql`
    select a.attname::text as name, format_type(a.atttypid, a.atttypmod) as type from pg_attribute a
      join pg_class c on c.oid = a.attrelid join pg_namespace n on n.oid = c.relnamespace
     where n.nspname = ${schema} and c.relname = ${name} and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
     order by a.attnum`);
}

// JSON columns are dumped as text: inside a JSON row, a JSON null would be the same as no value.
const isJson = ({ type }: Column) => type === 'json' || type === 'jsonb';
const dumpedType = (column: Column) => (isJson(column) ? 'text' : column.type);
const asText = (column: Column) => `${identifier(column.name)}${isJson(column) ? '::text' : ''}`;
const fromText = (column: Column) => `${identifier(column.name)}${isJson(column) ? `::${column.type}` : ''}`;

const selectList = (table: DumpedTable, columns: readonly Column[], read: (column: Column) => string) =>
  columns
    .map((column) => {
      const value = replaced[nameOf(table)]?.[column.name] ?? read(column);
      return `${value} as ${identifier(column.name)}`;
    })
    .join(', ');
