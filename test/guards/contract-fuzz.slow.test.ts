// Guard: random requests to every operation get no 5xx and no response that the contract does not declare.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import fc from 'fast-check';
import { errors } from '../../packages/contract/src/errors.ts';
import { operationGroups } from '../../packages/contract/src/index.ts';
import { Problem } from '../../packages/contract/src/openapi/openapi-problems.ts';
import { errorsOf, type Operation } from '../../packages/contract/src/operation.ts';
import { startTestApp } from '../../packages/server/testing/app.ts';
import { managedOrganization } from '../../packages/server/testing/managed.ts';
import { test_seed } from '../../packages/server/testing/random.ts';

// The test app also compares every successful response with its declared schema, and responds with 500 if it differs.
// Only the role api: calls that the requests create would run in real time and use most of the processor time.
// The prefixes are set because a server without them responds with 503 on purpose.
const managed = await startTestApp({
  PARLEY_MANAGED: 'on',
  PARLEY_ROLES: 'api',
  PARLEY_SERVICE_MAIL_PREFIX_USER: 'agent',
  PARLEY_SERVICE_MAIL_PREFIX_ORG: 'fuzz',
});
const { client: owner } = await managedOrganization(managed);
const superadmin = managed.organization({ superadmin: true, organization_id: owner.organization_id });

/**
 * Requests per operation. Each request changes about half of the fields, so three per field combine every field with
 * several values; an operation without fields needs only a few ids. Every run of the tests has another seed.
 */
const runsOf = (operation: Operation): number => 8 + 3 * fieldsOf(operation).length;

const nasty = fc.constantFrom(
  '',
  ' ',
  '\u0000',
  '\ud800',
  'null',
  '-1',
  '1e309',
  '%',
  "'; --",
  '../..',
  '+14155550123',
  'a@b.co',
  '😀'.repeat(30),
  'x'.repeat(500),
  '2026-13-45T99:99:99Z',
);
const value: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 3, arbitrary: nasty },
  fc.string({ unit: 'binary' }),
  fc.constant(null),
  fc.boolean(),
  fc.double(),
  fc.integer(),
  fc.jsonValue({ maxDepth: 3 }),
  fc.constantFrom([], {}, [''], [null], { a: { b: {} } }),
);

const shapeOf = (operation: Operation) => (operation.body as { shape?: object } | undefined)?.shape;
const fieldsOf = (operation: Operation): string[] => [
  ...Object.keys({ ...shapeOf(operation) }),
  ...Object.keys(operation.query?.shape ?? {}),
];

/** A body near the example: some fields replaced, dropped or added, so that rules behind the validation are reached too. */
function bodies(operation: Operation): fc.Arbitrary<unknown> {
  const example = operation.body_example;
  if (typeof example !== 'object' || example === null) return value;
  const keys = Object.keys({ ...example, ...shapeOf(operation) });
  const near = fc
    .tuple(
      fc.subarray(keys),
      fc.subarray(keys),
      fc.array(value, { minLength: keys.length, maxLength: keys.length }),
      fc.boolean(),
    )
    .map(([dropped, changed, values, extra]) => {
      const body: Record<string, unknown> = { ...example };
      for (const [index, key] of keys.entries()) if (changed.includes(key)) body[key] = values[index];
      for (const key of dropped.slice(0, 1)) delete body[key];
      return extra ? { ...body, surprise: 1 } : body;
    });
  return fc.oneof({ weight: 6, arbitrary: near }, { weight: 1, arbitrary: value });
}

const queries = (operation: Operation) =>
  fc.dictionary(
    fc.constantFrom(...Object.keys(operation.query?.shape ?? {}), 'surprise'),
    fc.oneof(nasty, fc.string({ unit: 'binary' })),
    { maxKeys: 4 },
  );

for (const { noun, operations } of operationGroups) {
  for (const [name, operation] of Object.entries(operations) as [string, Operation][]) {
    if ('stream' in operation.success) continue;
    test(`${noun}.${name} responds as declared to any request`, async () => {
      // Such a request waits for an event that never happens, so its wait is short.
      const waits = 'timeout_seconds' in (operation.query?.shape ?? {});
      const declared = new Set([
        operation.success.status,
        ...errorsOf(operation).map((code) => errors[code].status),
        400,
        413,
      ]);
      await fc.assert(
        fc.asyncProperty(
          bodies(operation),
          queries(operation),
          fc.oneof(fc.uuid(), nasty),
          async (body, query, id) => {
            const path = operation.path.replaceAll(/\{\w+\}/g, () =>
              encodeURIComponent(id.isWellFormed() && id !== '' ? id : randomUUID()),
            );
            const text = new URLSearchParams(
              Object.entries(query).map(([key, each]): [string, string] => [key, each.toWellFormed()]),
            );
            if (waits && !text.has('timeout_seconds')) text.set('timeout_seconds', '1');
            const caller = operation.access === 'superadmin' ? superadmin : owner;
            const answer = await caller.request(
              operation.method,
              `${path}${text.size ? `?${text}` : ''}`,
              operation.body ? JSON.stringify(body) : undefined,
            );
            assert.ok(answer.status < 500, `${answer.status}: ${answer.text}`);
            assert.ok(declared.has(answer.status as 200), `undeclared ${answer.status}: ${answer.text}`);
            if (answer.status >= 400) Problem.parse(answer.body);
          },
        ),
        { numRuns: waits ? 8 : runsOf(operation), seed: test_seed, endOnFailure: true },
      );
    });
  }
}
