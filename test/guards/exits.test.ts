// Guard: every operation that accepts an address outside is a message, an exit of the approval policy, or excused here.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { z } from 'zod';
import { operationGroups } from '../../packages/contract/src/index.ts';
import { exitChannels, exits } from '../../packages/contract/src/rules/exits.ts';

/** Fields that are no way out, or have a channel of their own. */
const excused = new Map([
  ['consents.create source.url', 'stored as a proof, never opened'],
  ['email_domains.update forward_to', 'the channel forward_address'],
  ['agents.create messaging.link_hosts', 'what texts may name, not where they go'],
  ['agents.update messaging.link_hosts', 'what texts may name, not where they go'],
]);
const is_address = /(?:^|_)(?:url|uri|endpoint|webhook|host|hosts|base_url|target_url|forward_to)$/;
/** Operations that reach an outside address which was given before. */
const reaches_outside = ['tools.test', 'providers.activate', 'providers.test'];

type Schema = Record<string, unknown>;

function* fieldsOf(schema: Schema, defs: Record<string, Schema>, path: string[] = []): Iterable<string> {
  if (path.length > 6) return;
  const ref = typeof schema.$ref === 'string' ? defs[schema.$ref.split('/').at(-1)!] : undefined;
  if (ref) return yield* fieldsOf(ref, defs, path);
  for (const [name, value] of Object.entries((schema.properties ?? {}) as Record<string, Schema>)) {
    yield [...path, name].join('.');
    yield* fieldsOf(value, defs, [...path, name]);
  }
  for (const list of [schema.anyOf, schema.oneOf, schema.allOf])
    for (const each of (list ?? []) as Schema[]) yield* fieldsOf(each, defs, path);
  if (schema.items) yield* fieldsOf(schema.items as Schema, defs, path);
}

const addresses = operationGroups.flatMap(({ noun, operations }) =>
  Object.entries(operations).flatMap(([name, { body, method }]) => {
    if (!body || method === 'GET') return [];
    const schema = z.toJSONSchema(body, { io: 'input', unrepresentable: 'any' }) as Schema;
    const fields = [...new Set(fieldsOf(schema, (schema.$defs ?? {}) as Record<string, Schema>))];
    return fields
      .filter((field) => is_address.test(field.split('.').at(-1)!))
      .map((field) => ({ operation: `${noun}.${name}`, field }));
  }),
);

test('S15: every operation that accepts an address is an exit with a channel of the approval policy', () => {
  const missing = addresses.filter(({ operation, field }) => {
    if (excused.has(`${operation} ${field}`)) return false;
    const exit = exits[operation];
    return !exit || (exit.fields !== undefined && !exit.fields.includes(field));
  });
  assert.deepEqual(
    missing,
    [],
    'add it to packages/contract/src/rules/exits.ts and to docs/guides/guard-rails.md',
  );
  assert.ok(addresses.length > 10, 'the guard reads the contract');
});

test('S15: every exit exists, and the guide names it with its channel', () => {
  const operations = new Set(
    operationGroups.flatMap(({ noun, operations }) =>
      Object.keys(operations).map((name) => `${noun}.${name}`),
    ),
  );
  assert.deepEqual(
    [...Object.keys(exits), ...reaches_outside].filter((each) => !operations.has(each)),
    [],
  );
  const guide = readFileSync('docs/guides/guard-rails.md', 'utf8');
  const unnamed = [...Object.keys(exits), ...exitChannels].filter((each) => !guide.includes(`\`${each}\``));
  assert.deepEqual(unnamed, []);
});
