// Guard: migrations expand first and contract in a later release, so that processes of the previous release keep working
// while new ones start.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { migrations_folder } from '../../packages/server/src/app/migrations-folder.ts';
import { compatibleFrom, readMigrations } from '../../packages/server/src/platform/db/migrate.ts';

/** Written before the rule; nothing may be added here. */
const last_without_rule = '0049_forward_confirmations.sql';

/** Changes that code which knows only the old schema may not survive, or that lock a large table for long. */
const contracting: [RegExp, string][] = [
  [/\bdrop\s+(table|column|schema|view|function|type)\b(?!\s+pg_temp\.)/i, 'drops something'],
  [/\bdrop\s+constraint\b/i, 'drops a constraint'],
  [/\brename\b/i, 'renames something'],
  [/\bset\s+schema\b/i, 'moves a table'],
  [/\balter\s+column\s+\w+\s+(set\s+data\s+)?type\b/i, 'changes the type of a column'],
  [/\bset\s+not\s+null\b/i, 'requires a value that older code may not write'],
  [
    /\badd\s+column\b(?:(?!\bdefault\b)[^,;])*\bnot\s+null\b(?![^,;]*\bdefault\b)/i,
    'adds a required column without default',
  ],
  [/\balter\s+column\s+\w+\s+drop\s+default\b/i, 'removes a default'],
  [/\btruncate\b/i, 'deletes rows'],
];

/** What is wrong with a migration, as a list of reasons. */
function problemsOf(text: string): string[] {
  const statements = text.replaceAll(/--.*$/gm, '');
  const found = contracting.filter(([pattern]) => pattern.test(statements)).map(([, reason]) => reason);
  const problems = compatibleFrom(text) === null ? ['has no line `-- compatible-from: <number>`'] : [];
  return /^-- contracts: \S.{20,}/m.test(text) ? problems : [...problems, ...found];
}

describe('migrations', () => {
  test('keep the previous release working, or say which release stopped using what they remove', async () => {
    const migrations = await readMigrations(migrations_folder);
    const later = migrations.filter(({ name }) => name > last_without_rule);
    assert.ok(later.length > 0);
    assert.deepEqual(
      later.flatMap(({ name, text }) => problemsOf(text).map((reason) => `${name} ${reason}`)),
      [],
      'See "Change the database" in CONTRIBUTING.md',
    );
  });

  test('that contract are recognized', () => {
    const header = '-- compatible-from: 0060\n';
    for (const statement of [
      'drop table contacts',
      'alter table contacts drop column name',
      'alter table contacts rename column name to title',
      'alter table contacts alter column name type int using 1',
      'alter table contacts add column title text not null',
      'alter table contacts alter column name set not null',
    ]) {
      assert.notDeepEqual(problemsOf(header + statement), [], statement);
      const reason = '-- contracts: contacts.name is not used since release 0.2.0\n';
      assert.deepEqual(problemsOf(header + reason + statement), [], statement);
    }
    for (const statement of [
      'alter table contacts add column title text',
      "alter table contacts add column title text not null default ''",
      "alter table contacts add column a text default '' not null, add column b text",
      'create table titles (name text not null); create index on titles (name); drop index contacts_names',
    ])
      assert.deepEqual(problemsOf(header + statement), [], statement);
    assert.deepEqual(problemsOf('create table titles (name text)').length, 1);
  });
});
