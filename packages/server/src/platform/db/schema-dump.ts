// Writes the schema of a database as text in a fixed order, so that a committed copy can be compared with it.
import type { Queryable } from './database.ts';
import { sql } from './sql.ts';

export async function dumpSchema(db: Queryable): Promise<string> {
  const columns = await db.rows<{
    table: string;
    persistence: string;
    partition_key: string | null;
    /** Its owner and its class, as a statement. */
    comment: string | null;
    line: string;
  }>(sql`
    select c.relname as table, c.relpersistence as persistence, pg_get_partkeydef(c.oid) as partition_key,
           'comment on table ' || c.relname || ' is ' || quote_literal(obj_description(c.oid, 'pg_class')) || ';' as comment,
           format('  %I %s%s%s', a.attname, format_type(a.atttypid, a.atttypmod),
                  case when a.attnotnull then ' not null' else '' end,
                  case when d.adbin is not null then ' default ' || pg_get_expr(d.adbin, d.adrelid) else '' end) as line
      from pg_class c
      join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
      left join pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum
     where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')
     order by c.relname, a.attnum`);
  // PostgreSQL 18 lists NOT NULL as constraints too (contype n); older ones do not.
  const constraints = await db.rows<{ table: string; line: string }>(sql`
    select conrelid::regclass::text as table, format('  constraint %I %s', conname, pg_get_constraintdef(oid)) as line
      from pg_constraint
     where connamespace = 'public'::regnamespace and contype <> 'n'
     order by 1, conname`);
  const indexes = await db.rows<{ table: string; line: string }>(sql`
    select tablename as table, indexdef || ';' as line from pg_indexes i
     where schemaname = 'public'
       and not exists (select from pg_constraint where conname = i.indexname)
     order by tablename, indexname`);
  const tables = [...new Set(columns.map((column) => column.table))];
  const of = (rows: { table: string; line: string }[], table: string) =>
    rows.filter((row) => row.table === table).map((row) => row.line);
  return tables
    .map((table) => {
      const { persistence, partition_key, comment } = columns.find((column) => column.table === table)!;
      const unlogged = persistence === 'u' ? 'unlogged ' : '';
      const partition_by = partition_key === null ? '' : ` partition by ${partition_key}`;
      const body = [...of(columns, table), ...of(constraints, table)].join(',\n');
      return [
        `create ${unlogged}table ${table} (\n${body}\n)${partition_by};`,
        ...of(indexes, table),
        ...(comment === null ? [] : [comment]),
        '',
      ].join('\n');
    })
    .join('\n');
}
