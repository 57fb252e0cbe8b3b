// The offered tools: all of them real operations, few enough to read, honest about what they do.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { operationGroups } from '@parley/contract';
import { loadVerifier, skipWithout } from '../../../test/verifiers/load.ts';
import { chooseTools } from './tool-set.ts';
import { defaultTools, recordTreatment } from './tool-table.ts';

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

test(`the default tools fit into ${budget_tokens} tokens, schemas of answers included`, {
  skip: skipWithout(verifier),
}, () => {
  const tokens = tokenizer!.countTokens(JSON.stringify(by_default.definitions));
  assert.ok(tokens <= budget_tokens, `${tokens} tokens`);
});

test('a tool names an operation that exists, unless its whole noun is still to come', () => {
  const nouns = new Set(operationGroups.map(({ noun }) => noun));
  const wrong = Object.entries(defaultTools).filter(
    ([, { operation }]) => nouns.has(operation.split('.')[0]!) && !operations.has(operation),
  );
  assert.deepEqual(wrong, []);
});

test('names are short, unlike each other, and say who may be touched', () => {
  for (const { name, description, annotations, inputSchema } of everything.definitions) {
    assert.match(name, /^[a-z][a-z_]{1,63}$/);
    assert.ok(description.length > 10 && description.length < 1000, name);
    assert.equal(inputSchema.additionalProperties, false);
    assert.equal(typeof annotations.readOnlyHint, 'boolean');
    if (!annotations.readOnlyHint) assert.equal(typeof annotations.destructiveHint, 'boolean', name);
  }
  assert.equal(everything.byName.size, everything.definitions.length);
});

test('descriptions tell a model when to use a tool and what comes back, without paths of the API (C6)', () => {
  for (const { name, description } of everything.definitions) assert.match(description, /\bReturns? /, name);
  for (const { name, description } of by_default.definitions)
    assert.ok(description.split(' ').length >= 15, `${name}: ${description}`);
  const with_paths = everything.definitions.filter((definition) => /\/v1\b/.test(JSON.stringify(definition)));
  assert.deepEqual(
    with_paths.map(({ name }) => name),
    [],
  );
});

test('every schema has one type in each place, as all model vendors take it (C6)', () => {
  const lists = everything.definitions.filter((definition) => /"type":\[/.test(JSON.stringify(definition)));
  assert.deepEqual(
    lists.map(({ name }) => name),
    [],
  );
});

test('only reading operations are called read-only', () => {
  for (const { definition, call } of everything.byName.values())
    assert.equal(definition.annotations.readOnlyHint, call.method === 'GET', definition.name);
});

test('consent is a required argument wherever the API asks for it, and has no default', () => {
  for (const { definition, call } of everything.byName.values()) {
    const field = definition.inputSchema.properties.recipient_consent as { default?: unknown } | undefined;
    assert.equal(field !== undefined, call.consent === true, definition.name);
    if (!field) continue;
    assert.ok(definition.inputSchema.required?.includes('recipient_consent'), definition.name);
    assert.equal(field.default, undefined);
  }
});

test('every record with words of strangers is treated by its right name', () => {
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
