// The OpenAPI document is complete: every operation is documented, and every example matches its schema.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EventEnvelope } from './event.ts';
import { events, operationGroups } from './index.ts';
import { buildOpenApi, Problem } from './openapi.ts';

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

test('every reference resolves, and every error response is a problem', () => {
  const document = buildOpenApi('http://localhost') as {
    components: { schemas: Record<string, unknown> };
    paths: Record<
      string,
      Record<
        string,
        {
          responses: Record<
            string,
            { content?: Record<string, { examples?: Record<string, { value: unknown }> }> }
          >;
        }
      >
    >;
  };
  for (const [, name] of JSON.stringify(document).matchAll(/"#\/components\/schemas\/([^"]+)"/g)) {
    assert.ok(name! in document.components.schemas, name);
  }
  assert.ok('Event' in document.components.schemas && EventEnvelope);
  for (const path of Object.values(document.paths)) {
    for (const { responses } of Object.values(path)) {
      for (const [status, { content }] of Object.entries(responses)) {
        if (Number(status) < 400) continue;
        for (const { value } of Object.values(content!['application/problem+json']!.examples!))
          Problem.parse(value);
      }
    }
  }
});
