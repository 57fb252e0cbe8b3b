// The offered tools: each calls a real operation, they are few enough to read, and their descriptions are accurate.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { operationGroups } from '@parley/contract';
import { loadVerifier, skipWithout } from '../../../test/verifiers/load.ts';
import { recordTreatment } from './record-treatment.ts';
import { chooseTools } from './tool-set.ts';
import { defaultTools, namedTools, people_only } from './tool-table.ts';

const budget_tokens = 8_000;
const everything = chooseTools({ toolsets: ['all'], read_only: false });
const by_default = chooseTools({ toolsets: ['default'], read_only: false });
const operations = new Map<string, unknown>(
  operationGroups.flatMap(({ noun, operations }) =>
    Object.entries(operations).map(([name, operation]) => [`${noun}.${name}`, operation] as const),
  ),
);

const verifier = 'gpt-tokenizer/encoding/o200k_base';
const tokenizer = await loadVerifier<{ countTokens(text: string): number }>(verifier);

test(`the default tools fit into ${budget_tokens} tokens, output schemas included`, {
  skip: skipWithout(verifier),
}, () => {
  const tokens = tokenizer!.countTokens(JSON.stringify(by_default.definitions));
  assert.ok(tokens <= budget_tokens, `${tokens} tokens`);
});

test('a tool names an existing operation, unless the whole noun is still missing', () => {
  const nouns = new Set(operationGroups.map(({ noun }) => noun));
  const wrong = Object.entries(defaultTools).filter(
    ([, { operation }]) => nouns.has(operation.split('.')[0]!) && !operations.has(operation),
  );
  assert.deepEqual(wrong, []);
});

test('S16: what is for people only exists, and no tool calls it', () => {
  const named = [...people_only, ...Object.values(namedTools).map(({ operation }) => operation)];
  assert.deepEqual(
    named.filter((id) => !operations.has(id)),
    [],
  );
  const offered = everything.definitions.map(({ name }) => name);
  const derived = [...people_only].map((id) => id.replaceAll('.', '_'));
  assert.deepEqual(
    derived.filter((name) => offered.includes(name)),
    [],
  );
});

test('names are short, distinct, and clear about their effect', () => {
  for (const { name, description, annotations, inputSchema } of everything.definitions) {
    assert.match(name, /^[a-z][a-z_]{1,63}$/);
    assert.ok(description.length > 10 && description.length < 1000, name);
    assert.equal(inputSchema.additionalProperties, false);
    assert.equal(typeof annotations.readOnlyHint, 'boolean');
    if (!annotations.readOnlyHint) assert.equal(typeof annotations.destructiveHint, 'boolean', name);
  }
  assert.equal(everything.byName.size, everything.definitions.length);
});

test('descriptions say when to use a tool and what it returns, without paths of the API (C6)', () => {
  for (const { name, description } of everything.definitions) assert.match(description, /\bReturns? /, name);
  for (const { name, description } of by_default.definitions)
    assert.ok(description.split(' ').length >= 15, `${name}: ${description}`);
  const with_paths = everything.definitions.filter((definition) => /\/v1\b/.test(JSON.stringify(definition)));
  assert.deepEqual(
    with_paths.map(({ name }) => name),
    [],
  );
});

test('every schema has a single type everywhere, as all model vendors accept (C6)', () => {
  const lists = everything.definitions.filter((definition) => /"type":\[/.test(JSON.stringify(definition)));
  assert.deepEqual(
    lists.map(({ name }) => name),
    [],
  );
});

test('only reading operations are marked read-only', () => {
  for (const { definition, call } of everything.byName.values())
    assert.equal(definition.annotations.readOnlyHint, call.method === 'GET', definition.name);
});

test('consent is a required argument wherever the API requires it, and has no default', () => {
  for (const { definition, call } of everything.byName.values()) {
    const field = definition.inputSchema.properties.recipient_consent as { default?: unknown } | undefined;
    assert.equal(field !== undefined, call.consent === true, definition.name);
    if (!field) continue;
    assert.ok(definition.inputSchema.required?.includes('recipient_consent'), definition.name);
    assert.equal(field.default, undefined);
  }
});

test('every record with untrusted text has a matching plan', () => {
  const { components } = JSON.parse(
    readFileSync(new URL('../../contract/openapi.json', import.meta.url), 'utf8'),
  ) as { components: { schemas: Record<string, { properties?: object }> } };
  for (const [name, { untrusted = [], untrusted_unless_phone = [], hidden = [] }] of Object.entries(
    recordTreatment,
  )) {
    const fields = components.schemas[name]?.properties;
    if (!fields) continue;
    assert.deepEqual(
      [...untrusted, ...untrusted_unless_phone, ...hidden].filter((field) => !(field in fields)),
      [],
      name,
    );
  }
  assert.ok(components.schemas.Contact);
});
