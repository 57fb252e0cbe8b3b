// Guard: every table says which feature owns it and whose rows it has, and only the files of its owner use it.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { after, describe, test } from 'node:test';
import { sql } from '../../packages/server/src/platform/db/sql.ts';
import { openTestDatabase } from '../../packages/server/testing/database.ts';
import { acceptedAccess, access_lists, foreignAccess, tablesIn } from './foreign-tables.ts';

const { db, close } = await openTestDatabase();
after(close);

type Table = { name: string; comment: string | null; organization_id: 'required' | 'optional' | null };
/** A schema may speak for its tables, and a partitioned table for its partitions. */
const tables = await db.rows<Table>(sql`
  select n.nspname || '.' || c.relname as name,
         coalesce(obj_description(c.oid, 'pg_class'), obj_description(n.oid, 'pg_namespace')) as comment,
         (select case when attnotnull then 'required' else 'optional' end from pg_attribute
           where attrelid = c.oid and attname = 'organization_id' and not attisdropped) as organization_id
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
   where n.nspname in ('public', 'accounts') and c.relkind in ('r', 'p') and not c.relispartition order by 1`);

const comment_form = /^owner: (\S+); class: (organization|directory|installation)$/;
const partsOf = ({ comment }: Table) => comment_form.exec(comment ?? '') ?? [];

/** Tables of organizations whose rows may have none, or name it only through another table. */
const organization_elsewhere = new Map([
  ['public.audit_entries', 'operators do something for the whole installation too'],
  ['public.email_attachment_uses', 'the organization of the attachment'],
]);

describe('every table', () => {
  test('says its owner and its class, in a comment of its migration', () => {
    const wrong = tables.filter((table) => {
      const [, owner] = partsOf(table);
      return owner !== 'platform' && !existsSync(`packages/server/src/features/${owner}/index.ts`);
    });
    assert.deepEqual(
      wrong.map(({ name, comment }) => `${name}: ${comment}`),
      [],
      "write in the migration: comment on table <name> is 'owner: <wing>/<feature>; class: organization';",
    );
  });

  test('of the class organization names the organization of each row, and one of the installation none', () => {
    const wrong = tables.filter((table) => {
      const [, , kind] = partsOf(table);
      if (kind === 'organization')
        return table.organization_id !== 'required' && !organization_elsewhere.has(table.name);
      return kind === 'installation' && table.organization_id === 'required';
    });
    assert.deepEqual(
      wrong.map(({ name }) => name),
      [],
    );
  });
});

for (const access of ['writers', 'reads'] as const)
  describe(`SQL that ${access === 'writers' ? 'writes' : 'reads'} a table`, () => {
    const foreign = foreignAccess(access);
    const accepted = acceptedAccess(access);

    test('is in files of its owner, except those in the list', () => {
      assert.deepEqual(
        foreign.filter((each) => !accepted.includes(each)),
        [],
        `ask the owner through its index.ts; for a file that was only moved, change its line in ${access_lists[access]}`,
      );
    });

    test('and is not in the list when it moved to its owner; `npm run generate` removes it', () => {
      assert.deepEqual(
        accepted.filter((each) => !foreign.includes(each)),
        [],
      );
    });
  });

test('the guard finds tables by statement, by name and by descriptor', () => {
  // biome-ignore-start lint/suspicious/noTemplateCurlyInString: source texts with templates inside templates.
  const written = (source: string) => tablesIn(source, 'writers');
  assert.deepEqual(
    written('db.run(sql`with a as (${sql`delete from calls`}) update only emails set x = 1`)'),
    ['calls', 'emails'],
  );
  assert.deepEqual(written("for (const t of ['waits']) run(sql`delete from ${sql.raw(t)}`)"), ['waits']);
  assert.deepEqual(written("const calls = table<CallRow, typeof lifecycle>('calls', {})"), ['calls']);
  assert.deepEqual(tablesIn('sql`delete from calls using emails e join agents a on true`', 'reads'), [
    'emails',
    'agents',
  ]);
  // biome-ignore-end lint/suspicious/noTemplateCurlyInString: end of the texts.
});
