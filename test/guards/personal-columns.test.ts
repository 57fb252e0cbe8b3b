// Guard: the owner of a table says of each text in it whether an erasure empties it, or why it need not.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, test } from 'node:test';
import { personal_data } from '../../packages/server/src/app/personal-data.ts';
import { settings_tables } from '../../packages/server/src/features/operations/erasures/content/settings-tables.ts';
import { sql } from '../../packages/server/src/platform/db/sql.ts';
import { openTestDatabase } from '../../packages/server/testing/database.ts';
import { sourceFiles } from './source-files.ts';
import { sqlTexts } from './sql-texts.ts';

const list_file = 'test/guards/undeclared-columns.txt';
const { db, close } = await openTestDatabase();
after(close);

const columns = await db.rows<{ table: string; column: string; owner: string }>(sql`
  select c.relname as table, a.attname as column,
         substring(obj_description(c.oid, 'pg_class') from '^owner: (\\S+);') as owner
    from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
   where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
     and obj_description(c.oid, 'pg_class') like '%class: organization'
     and format_type(a.atttypid, null) in ('text', 'text[]', 'character varying', 'json', 'jsonb') order by 1, 2`);
// People write settings for the whole organization; an erasure shows them and does not change them.
const searched = columns.filter(({ table }) => !(`public.${table}` in settings_tables));

type Declared = { owner: string; table: string; column: string; is_erased: boolean; is_deleted?: boolean };
const words = (text: string) => text.split(' ');
const declared: Declared[] = personal_data.flatMap(({ owner, tables = {} }) =>
  Object.entries(tables).flatMap(([table, { erased = '', kept = {} }]) => {
    const all = columns.filter((each) => each.table === table).map(({ column }) => column);
    const emptied = erased === '*' ? all : words(erased).filter((column) => column !== '');
    return [
      ...emptied.map((column) => ({ owner, table, column, is_erased: true, is_deleted: erased === '*' })),
      ...Object.values(kept)
        .flatMap(words)
        .map((column) => ({ owner, table, column, is_erased: false })),
    ];
  }),
);
const nameOf = ({ table, column }: { table: string; column: string }) => `${table} ${column}`;

test('every text of an organization is erased or has a reason, except those in the list', () => {
  const names = new Set(declared.map(nameOf));
  const missing = searched.map(nameOf).filter((name) => !names.has(name));
  const accepted = readFileSync(list_file, 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'));
  assert.deepEqual(
    missing,
    accepted,
    `name it in the personal-data-store.ts of its owner; ${list_file} only gets shorter`,
  );
});

test('only the owner declares a column, once, and it exists', () => {
  const existing = new Map(columns.map((each) => [nameOf(each), each.owner]));
  const wrong = declared.filter((each) => existing.get(nameOf(each)) !== each.owner);
  assert.deepEqual(wrong, []);
  assert.equal(new Set(declared.map(nameOf)).size, declared.length);
});

test('what is declared as erased is in the SQL of its owner', () => {
  const files = sourceFiles().filter((path) => /personal-data(-store)?\.ts$/.test(path));
  const sqlOf = (owner: string) =>
    files
      .filter((path) => path.startsWith('packages/server/src/') && path.includes(`/${owner}/`))
      .flatMap((path) => sqlTexts(readFileSync(path, 'utf8')))
      .join('\n');
  const missing = declared.filter(({ owner, table, column, is_erased, is_deleted }) => {
    const statement = is_deleted ? `\\bdelete from ${table}\\b` : `\\b${column} = `;
    return is_erased && !new RegExp(statement).test(sqlOf(owner));
  });
  assert.deepEqual(missing.map(nameOf), []);
});
