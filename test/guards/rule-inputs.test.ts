// Guard: every column that the rules for sending and receiving read is in the table that says who may change it.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { type Entry, rule_inputs } from '../../packages/server/src/features/access/rule-inputs/index.ts';
import { sourceFiles } from './source-files.ts';
import { sqlTexts } from './sql-texts.ts';

const features = 'packages/server/src/features/';
/** Folders and files whose SQL decides what is sent, forwarded or received. */
const rule_sources = [
  'rules/admission/',
  'rules/approvals/parties/party-store.ts',
  'rules/approvals/store.ts',
  'rules/budgets/',
  'rules/consents/',
  'channels/email-domains/forwards/forward-store.ts',
  'channels/email-suppressions/',
  'rules/funds/',
  'rules/known-parties/',
  'rules/limits/',
  'rules/quiet-hours/',
  'rules/receive-rules/',
  'rules/recipient-limits/',
  'rules/sending-rules/',
  'channels/sms/suppression-store.ts',
].map((path) => features + path);

/** Who a row belongs to, and when it was stored: no operation changes these. */
const never_changed = new Set(['id', 'organization_id', 'created_at', 'updated_at']);

/** The columns of each table, from the generated schema. */
const columns_by_table = new Map(
  [...readFileSync('packages/server/schema.sql', 'utf8').matchAll(/^create table (\w+) \(\n(.*?)^\)/gms)].map(
    ([, name, body]) => [
      name!,
      new Set([...body!.matchAll(/^ {2}(?!constraint\b)(\w+) /gm)].map(([, column]) => column!)),
    ],
  ),
);

/** `table.column` for everything that the SQL of a file names. An alias names its table; a bare column every table of its statement. */
function columnsIn(source: string): Set<string> {
  const read = new Set<string>();
  for (const text of sqlTexts(source)) {
    const plain = text.replaceAll(/'[^']*'/g, "''");
    const aliases = new Map<string, string>();
    for (const [, table, alias] of plain.matchAll(
      /\b(?:from|join|into|update)\s+(\w+)(?:\s+(?:as\s+)?(?!set\b|where\b|on\b|using\b|join\b|left\b|order\b|select\b|values\b|union\b|limit\b|group\b)(\w+))?/gi,
    )) {
      if (!columns_by_table.has(table!)) continue;
      aliases.set(table!, table!);
      if (alias) aliases.set(alias, table!);
    }
    const tables = [...new Set(aliases.values())];
    for (const [, qualifier, name] of plain.matchAll(/(?:\b(\w+)\.)?"?\b([a-z_]+)\b"?/g)) {
      const of = qualifier === undefined ? tables : [aliases.get(qualifier) ?? ''];
      for (const table of of) if (columns_by_table.get(table)?.has(name!)) read.add(`${table}.${name}`);
    }
  }
  return read;
}

const columnOf = (each: string) => each.slice(each.indexOf('.') + 1);
const declared = new Set(
  Object.entries(rule_inputs).flatMap(([table, columns]) =>
    Object.keys(columns).map((column) => `${table}.${column}`),
  ),
);
const read = new Set(
  sourceFiles()
    .filter((path) => rule_sources.some((source) => path.startsWith(source)))
    // What is erased or forgotten there decides nothing.
    .filter((path) => !path.endsWith('.test.ts') && !path.endsWith('/personal-data-store.ts'))
    .flatMap((path) => [...columnsIn(readFileSync(path, 'utf8'))])
    .filter((each) => !never_changed.has(columnOf(each))),
);

test('S9: every column that a rule reads says who may change it', () => {
  const missing = [...read].filter((each) => !declared.has(each)).sort();
  assert.deepEqual(
    missing,
    [],
    'declare it in features/access/rule-inputs/table.ts, and check it where it is changed',
  );
});

test('S9: nothing is declared that no rule reads or no table has', () => {
  const unknown = [...declared].filter((each) => {
    const [table, column] = each.split('.') as [string, string];
    return !columns_by_table.get(table)?.has(column);
  });
  assert.deepEqual(unknown, []);
});

/** Changed only together with another table. */
const changed_with = new Map([['budgets', 'sending_rules']]);

test('S9: every table that only people or operators may loosen asks the one check', () => {
  const sources = sourceFiles()
    .filter(
      (path) => path.startsWith(features) && !path.includes('/rule-inputs/') && !path.endsWith('.test.ts'),
    )
    .map((path) => readFileSync(path, 'utf8'))
    .join('\n');
  const unchecked = Object.entries<Record<string, Entry>>(rule_inputs)
    .filter(([, columns]) =>
      Object.values(columns).some(
        ({ loosened_by }) => loosened_by === 'person' || loosened_by === 'operator',
      ),
    )
    .map(([table]) => changed_with.get(table) ?? table)
    .filter((table) => !["'", '`'].some((quote) => sources.includes(`${quote}${table}.`)));
  assert.deepEqual(unchecked, []);
});

test('the guard finds columns by alias, by table and in nested fragments', () => {
  // biome-ignore lint/suspicious/noTemplateCurlyInString: source text with a template inside a template.
  const source = 'db.rows(sql`select c.time_zone from contacts c ${sql`where is_vouched`}`)';
  assert.deepEqual([...columnsIn(source)].sort(), ['contacts.is_vouched', 'contacts.time_zone']);
  assert.ok(declared.has('contacts.time_zone'));
});
