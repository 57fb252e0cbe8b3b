// The OpenAPI document is complete: every operation is documented, and every example matches its schema.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ErrorCode, errors } from '../errors.ts';
import { EventEnvelope } from '../event.ts';
import { events, operationGroups } from '../index.ts';
import { errorsOf } from '../operation.ts';
import { buildOpenApi } from './openapi.ts';
import { common_codes, Problem } from './openapi-problems.ts';

const operations = operationGroups.flatMap(({ noun, operations }) =>
  Object.entries(operations).map(([name, operation]) => ({ id: `${noun}.${name}`, operation })),
);

test('every operation has a summary and matching examples of its body and response', () => {
  for (const { id, operation } of operations) {
    assert.ok(operation.summary.length > 5, id);
    if (operation.body) {
      const parsed = operation.body.safeParse(operation.body_example);
      assert.ok(parsed.success, `${id}: ${parsed.error?.message}`);
    }
    if ('body' in operation.success) {
      const parsed = operation.success.body.safeParse(operation.success.example);
      assert.ok(parsed.success, `${id}: ${parsed.error?.message}`);
    }
  }
});

test('operations are named in snake_case, and paths are written in kebab-case', () => {
  for (const { id, operation } of operations) {
    assert.match(id, /^[a-z]+(_[a-z]+)*\.[a-z]+(_[a-z]+)*$/);
    assert.match(operation.path, /^(\/([a-z0-9]+([-.][a-z0-9]+)*|\{[a-z_]+\}))+$/, id);
  }
});

test('the path parameters of every operation match its path', () => {
  for (const { id, operation } of operations) {
    const named = [...operation.path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]);
    assert.deepEqual(Object.keys(operation.params?.shape ?? {}), named, id);
  }
});

test('no two operations share a method and path', () => {
  const seen = operations.map(({ operation }) => `${operation.method} ${operation.path}`);
  assert.equal(new Set(seen).size, seen.length);
});

test('every event has an example that matches its schema', () => {
  for (const [type, event] of Object.entries(events)) {
    const parsed = event.data.safeParse(event.example);
    assert.ok(parsed.success, `${type}: ${parsed.error?.message}`);
  }
});

type Response = { description: string; content?: Record<string, { schema: { $ref: string } }> };
type ProblemSchema = {
  properties: { code: { 'x-enum-descriptions': Record<string, string> } };
  examples: unknown[];
};
type Document = {
  tags: { name: string }[];
  components: Record<string, Record<string, unknown>> & {
    responses: Record<string, Response>;
    schemas: Record<string, unknown>;
  };
  paths: Record<
    string,
    Record<string, { tags: string[]; responses: Record<string, Response & { $ref?: string }> }>
  >;
};
const document = buildOpenApi('http://localhost') as Document;

test('every reference resolves, and every component is referenced', () => {
  const text = JSON.stringify(document);
  const referenced = new Set<string>();
  for (const [, kind, name] of text.matchAll(/"#\/components\/(\w+)\/([^"]+)"/g)) {
    assert.ok(name! in document.components[kind!]!, `${kind}/${name}`);
    referenced.add(`${kind}/${name}`);
  }
  assert.ok('Event' in document.components.schemas! && EventEnvelope);
  for (const kind of ['parameters', 'headers', 'responses'])
    for (const name of Object.keys(document.components[kind]!))
      assert.ok(referenced.has(`${kind}/${name}`), `${kind}/${name}`);
});

test('records may get new fields, and requests with unknown fields are refused', () => {
  const schemas = document.components.schemas as Record<string, { additionalProperties?: false }>;
  assert.equal(schemas.Call!.additionalProperties, undefined);
  assert.equal(schemas.CallCreate!.additionalProperties, false);
});

test('every error response names its codes, and the schema of a problem says what each one means', () => {
  const { properties, examples } = document.components.schemas.Problem as ProblemSchema;
  const meanings = properties.code['x-enum-descriptions'];
  assert.doesNotThrow(() => Problem.parse(examples[0]));
  for (const { operation, id } of operations) {
    const { responses } = document.paths[operation.path]![operation.method.toLowerCase()]!;
    const codes: string[] = [];
    for (const [status, response] of Object.entries(responses)) {
      if (Number(status) < 400) continue;
      const { description, content } = document.components.responses[response.$ref!.split('/').at(-1)!]!;
      assert.equal(content!['application/problem+json']!.schema.$ref, '#/components/schemas/Problem');
      for (const [, code] of description.matchAll(/`(\w+)`/g)) {
        const { status: declared, when } = errors[code as ErrorCode];
        if (status !== 'default') assert.equal(declared, Number(status), id);
        assert.equal(meanings[code!], `${declared}: ${when}`);
        codes.push(code!);
      }
    }
    // The default response has the codes that any operation may return.
    const all = new Set<string>([...errorsOf(operation), ...common_codes]);
    assert.deepEqual(codes.sort(), [...all].sort(), id);
  }
});

test('the document has at most 2,200 bytes per operation, and the channels come first', () => {
  const bytes = JSON.stringify(document).length / operations.length;
  assert.ok(bytes <= 2_200, `${bytes} bytes per operation`);
  const tags = document.tags.map(({ name }) => name);
  assert.deepEqual(
    tags.filter((tag) => ['calls', 'emails', 'sms', 'contacts', 'webhooks', 'identity'].includes(tag)),
    ['calls', 'emails', 'sms', 'contacts', 'webhooks', 'identity'],
  );
  assert.equal(tags[0], 'calls');
});
