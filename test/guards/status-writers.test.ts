// Guard: only platform/lifecycle.ts and the unit of work write the status of a record that has a lifecycle.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { lifecycles } from '../../packages/contract/src/index.ts';
import type { Lifecycle } from '../../packages/contract/src/schema/lifecycle.ts';
import { sourceFiles } from './source-files.ts';
import { sqlTexts } from './sql-texts.ts';

const tableOf = ({ subject, table }: Lifecycle) => table ?? `${subject.replace(/y$/, 'ie')}s`;
/** The column or columns of each table that hold a state, as a part of an expression. */
const tables = new Map<string, string>();
for (const each of lifecycles as readonly Lifecycle[]) {
  const others = tables.get(tableOf(each));
  tables.set(tableOf(each), [...(others ? [others] : []), each.column ?? 'status'].join('|'));
}

/**
 * Files whose own SQL inserts rows of a table with a lifecycle. The unit of work refuses a row that starts in a later
 * state; these statements must ensure it themselves. The list only gets shorter.
 */
const own_inserts = new Map([
  ['packages/server/src/features/channels/calls/dispatch/progress/progress-store.ts calls', 'always queued'],
  [
    'packages/server/src/features/channels/calls/transfer/store.ts call_transfers',
    'always requested, copied to its call',
  ],
  ['packages/server/src/features/channels/emails/receive/store.ts emails', 'always received'],
  ['packages/server/src/features/channels/verifications/store.ts verifications', 'always the initial state'],
  ['packages/server/src/features/operations/webhooks/store.ts webhook_subscriptions', 'always active'],
  [
    'packages/server/src/features/operations/webhooks/send/queue/lease-store.ts webhook_deliveries',
    'always pending',
  ],
  [
    'packages/server/src/features/operations/webhooks/store.ts webhook_deliveries',
    'test deliveries, always pending',
  ],
  [
    'packages/server/src/features/operations/webhooks/send/results/first-result-store.ts webhook_deliveries',
    'the first attempt is stored with its result: the delivery had no row before it',
  ],
]);

/** Everything between SET and the end of the list; values are left out, so that only column names remain. */
const assignments = (text: string) =>
  text.replaceAll(/'[^']*'/g, "''").split(/\b(?:where|from|returning)\b/i)[0]!;

function statusUpdates(text: string): string[] {
  const found: string[] = [];
  for (const [table, column] of tables) {
    const writes = new RegExp(`(?:^|,)\\s*"?(?:${column})"?\\s*=`, 'i');
    const updates = [
      ...text.matchAll(
        new RegExp(`\\bupdate\\s+(?:only\\s+)?"?${table}"?(?:\\s+(?:as\\s+)?\\w+)?\\s+set\\b`, 'gi'),
      ),
    ];
    for (const { index, 0: head } of updates)
      if (writes.test(assignments(text.slice(index + head.length)))) found.push(`update ${table}`);
  }
  // Often a separate fragment, so the table is not in the same text. Every status column belongs to a lifecycle.
  const writes = new RegExp(`(?:^|,)\\s*"?(?:${[...new Set(tables.values())].join('|')})"?\\s*=`, 'i');
  for (const { index, 0: head } of text.matchAll(/\bdo\s+update\s+set\b/gi))
    if (writes.test(assignments(text.slice(index + head.length)))) found.push('upsert');
  return found;
}

const insertedTables = (text: string): string[] =>
  [...tables.keys()].filter((table) =>
    new RegExp(`\\binsert\\s+into\\s+"?${table}"?(?![\\w])`, 'i').test(text),
  );

const server_files = sourceFiles().filter(
  (path) => path.startsWith('packages/server/src/') && !path.endsWith('.test.ts'),
);

test('no statement outside the lifecycle and the unit of work writes a status', () => {
  const violations = server_files.flatMap((path) =>
    sqlTexts(readFileSync(path, 'utf8')).flatMap((text) =>
      statusUpdates(text).map((violation) => `${path}: ${violation}`),
    ),
  );
  assert.deepEqual(violations, [], 'use move(), moveEach() or the unit of work');
});

test('rows with a lifecycle are inserted through the unit of work', () => {
  const inserts = server_files.flatMap((path) =>
    sqlTexts(readFileSync(path, 'utf8')).flatMap((text) =>
      insertedTables(text).map((table) => `${path} ${table}`),
    ),
  );
  const violations = inserts.filter((each) => !own_inserts.has(each));
  assert.deepEqual(violations, [], 'use insert() of the unit of work');
});

test('the guard finds statements that write a status', () => {
  const example = (text: string) => statusUpdates(text);
  assert.deepEqual(example("update calls set status = 'completed' where id = 1"), ['update calls']);
  assert.deepEqual(example('update emails e\n set sent_at = now(), status = r.status from r'), [
    'update emails',
  ]);
  assert.deepEqual(example('update numbers as n set "provisioning_state" = $1'), ['update numbers']);
  assert.deepEqual(
    example(
      'insert into sms_messages (id, status) values (1, 2) on conflict (id) do update set status = excluded.status',
    ),
    ['upsert'],
  );
  assert.deepEqual(example("update calls set lease_until = now() where status = 'queued'"), []);
  assert.deepEqual(example("update calls set answered_by = 'status = x' where id = 1"), []);
  // biome-ignore lint/suspicious/noTemplateCurlyInString: source text with a template inside a template.
  const source = 'db.run(sql`with a as (${sql`select 1`}) update calls set status = ${to}`)';
  assert.deepEqual(sqlTexts(source).flatMap(statusUpdates), ['update calls']);
  assert.deepEqual(insertedTables('insert into calls select * from x'), ['calls']);
  assert.deepEqual(insertedTables('insert into call_events select * from calls'), []);
});
