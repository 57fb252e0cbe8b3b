// The OpenAPI document is complete: every operation is documented, and every example matches its schema.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EventEnvelope } from './event.ts';
import { events, operationGroups } from './index.ts';
import { buildOpenApi } from './openapi.ts';
import { common_codes, Problem } from './openapi-problems.ts';
import { errorsOf } from './operation.ts';

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

type Response = { content?: Record<string, { examples?: Record<string, { $ref: string }> }> };
type Document = {
  tags: { name: string }[];
  components: Record<string, Record<string, unknown>> & {
    responses: Record<string, Response>;
    examples: Record<string, { value: unknown }>;
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
  for (const kind of ['parameters', 'headers', 'responses', 'examples'])
    for (const name of Object.keys(document.components[kind]!))
      assert.ok(referenced.has(`${kind}/${name}`), `${kind}/${name}`);
});

test('every error response is a problem with an example of each code', () => {
  for (const { operation, id } of operations) {
    const { responses } = document.paths[operation.path]![operation.method.toLowerCase()]!;
    const codes: string[] = [];
    for (const [status, response] of Object.entries(responses)) {
      if (Number(status) < 400) continue;
      const is_default = status === 'default';
      const { content } = document.components.responses[response.$ref!.split('/').at(-1)!]!;
      for (const { $ref } of Object.values(content!['application/problem+json']!.examples!)) {
        const problem = Problem.parse(document.components.examples[$ref.split('/').at(-1)!]!.value);
        if (!is_default) assert.equal(problem.status, Number(status), id);
        codes.push(problem.code);
      }
    }
    // The default response has the codes that any operation may return.
    const all = new Set<string>([...errorsOf(operation), ...common_codes]);
    assert.deepEqual(codes.sort(), [...all].sort(), id);
  }
});

test('the document has at most 400 kB, and the channels come first', () => {
  assert.ok(JSON.stringify(document).length <= 400_000, `${JSON.stringify(document).length} bytes`);
  const tags = document.tags.map(({ name }) => name);
  assert.deepEqual(
    tags.filter((tag) => ['calls', 'emails', 'sms', 'contacts', 'webhooks', 'identity'].includes(tag)),
    ['calls', 'emails', 'sms', 'contacts', 'webhooks', 'identity'],
  );
  assert.equal(tags[0], 'calls');
});
