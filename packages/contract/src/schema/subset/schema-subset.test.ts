// Schemas of tools and results: which are supported, which values satisfy them, and that no input breaks either check.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type RandomNumbers, randomNumbers, test_seed } from '../../../../server/testing/random.ts';
import { checkSchema, JsonSchema, type SchemaNode, schema_limits, validateValue } from './schema-subset.ts';

const object = (properties: Record<string, unknown>, more: object = {}) => ({
  type: 'object',
  properties,
  ...more,
});
const problems = (schema: unknown) => checkSchema(schema).map(({ path }) => path);
const wrong = (schema: Record<string, unknown>, value: unknown) => {
  assert.deepEqual(checkSchema(schema), []);
  return validateValue(schema, value).map(({ path, problem }) => `${path}: ${problem}`);
};

describe('a schema', () => {
  test('may use every keyword of the supported part', () => {
    const schema = object(
      {
        name: { type: 'string', minLength: 1, maxLength: 80, title: 'Name', description: 'Full name' },
        pays_on: { type: ['string', 'null'], format: 'date' },
        amount: { type: 'number', minimum: 0, maximum: 1e6 },
        mood: { enum: ['good', 'bad', null] },
        kind: { const: 'order' },
        items: { type: 'array', items: object({ count: { type: 'integer' } }), minItems: 0, maxItems: 9 },
      },
      { required: ['name'], additionalProperties: false, description: 'An order' },
    );
    assert.deepEqual(checkSchema(schema), []);
    assert.deepEqual(checkSchema({ type: 'object' }), []);
  });

  test('is refused with the path of each problem', () => {
    assert.deepEqual(problems({ type: 'string' }), ['type']);
    assert.deepEqual(problems({ type: ['object', 'null'] }), ['type']);
    assert.deepEqual(problems(null), ['']);
    assert.deepEqual(problems([]), ['']);
    assert.deepEqual(problems({}), ['type']);
    assert.deepEqual(problems(object({ a: { $ref: '#' }, b: { type: 'string', pattern: '(a+)+$' } })), [
      'properties.a.type',
      'properties.a.$ref',
      'properties.b.pattern',
    ]);
    assert.deepEqual(problems(object({ a: { type: 'array' } })), ['properties.a.items']);
    assert.deepEqual(problems(object({ a: { type: ['string', 'number'] } })), ['properties.a.type']);
    assert.deepEqual(problems(object({ a: { type: 'string', minimum: 1 } })), ['properties.a.minimum']);
    assert.deepEqual(problems(object({ a: { type: 'string', format: 'constructor' } })), [
      'properties.a.format',
    ]);
    assert.deepEqual(problems(object({ a: { type: 'string', toString: 1 } })), ['properties.a.toString']);
    assert.deepEqual(problems(object({ a: { enum: [] }, b: { enum: [{}] }, c: { enum: [1, 1] } })), [
      'properties.a.enum',
      'properties.b.enum',
      'properties.c.enum',
    ]);
    assert.deepEqual(problems(object({ a: { type: 'integer', minimum: 2, maximum: 1 } })), [
      'properties.a.maximum',
    ]);
    assert.deepEqual(problems(object({}, { required: ['toString'] })), ['required']);
    assert.deepEqual(problems(object({}, { additionalProperties: true })), ['additionalProperties']);
    assert.deepEqual(problems(object(JSON.parse('{"__proto__": {"type": "string"}}'))), [
      'properties.__proto__',
    ]);
    assert.deepEqual(problems(object({ 'a name': { type: 'string' } })), ['properties.a name']);
  });

  test('has limits of depth, properties, enum values and size', () => {
    const nested = (levels: number): object =>
      levels === 1 ? { type: 'object' } : object({ a: nested(levels - 1) });
    assert.deepEqual(problems(nested(schema_limits.depth)), []);
    assert.equal(problems(nested(schema_limits.depth + 1)).length, 1);
    const many = (count: number) =>
      object(
        Object.fromEntries(Array.from({ length: count }, (_, index) => [`p${index}`, { type: 'null' }])),
      );
    assert.deepEqual(problems(many(100)), []);
    assert.deepEqual(problems(many(101)), ['']);
    const choices = (count: number) =>
      object({ a: { enum: Array.from({ length: count }, (_, index) => index) } });
    assert.deepEqual(problems(choices(500)), []);
    assert.deepEqual(problems(choices(501)), ['']);
    assert.deepEqual(problems(object({}, { title: 'x'.repeat(16 * 1024) })), ['']);
  });

  test('in a request is refused with the code schema_not_supported', () => {
    const parsed = JsonSchema.safeParse(object({ a: { type: 'string', pattern: 'x' } }));
    const [issue] = parsed.error!.issues as { path: string[]; params?: { error: string } }[];
    assert.deepEqual(
      [issue!.path.join('.'), issue!.params?.error],
      ['properties.a.pattern', 'schema_not_supported'],
    );
  });
});

describe('a value', () => {
  test('is reported with the path of each problem', () => {
    const schema = object(
      {
        who: object({ name: { type: 'string' } }, { required: ['name'] }),
        tags: { type: 'array', items: { type: 'string' } },
      },
      { required: ['who'] },
    );
    assert.deepEqual(wrong(schema, { who: { name: 'Ana' }, tags: ['a'] }), []);
    assert.deepEqual(wrong(schema, { who: {}, tags: ['a', 1], extra: 1 }), [
      'who.name: Missing',
      'tags.1: Expected string',
      'extra: There is no such property',
    ]);
    assert.deepEqual(wrong(schema, {}), ['who: Missing']);
    assert.deepEqual(wrong(schema, null), [': Expected object']);
    assert.deepEqual(wrong(object({}), JSON.parse('{"__proto__": 1}')), [
      '__proto__: There is no such property',
    ]);
    assert.deepEqual(wrong(object({ toString: { type: 'string' } }, { required: ['toString'] }), {}), [
      'toString: Missing',
    ]);
  });

  const of = (node: SchemaNode, value: unknown) => wrong(object({ a: node }), { a: value }).length === 0;

  test('keeps to type, enum, const and limits', () => {
    assert.ok(of({ type: ['string', 'null'] }, null) && !of({ type: 'string' }, null));
    assert.ok(of({ type: 'integer' }, -0) && of({ type: 'integer' }, 2.0) && !of({ type: 'integer' }, 2.5));
    assert.ok(!of({ type: 'number' }, Number.NaN) && !of({ type: 'number' }, '1'));
    assert.ok(of({ enum: ['a', null] }, null) && !of({ enum: ['1'] }, 1) && !of({ const: true }, 'true'));
    assert.ok(of({ type: 'number', minimum: 0, maximum: 1 }, 1) && !of({ type: 'number', minimum: 0 }, -0.1));
    assert.ok(of({ type: 'string', maxLength: 2 }, '👍👍') && !of({ type: 'string', minLength: 2 }, '👍'));
    assert.ok(!of({ type: 'string', maxLength: 2 }, 'abc') && of({ type: 'string', minLength: 2 }, 'ab'));
    assert.ok(!of({ type: 'array', items: { type: 'null' }, maxItems: 1 }, [null, null]));
    assert.ok(!of({ type: 'array', items: { type: 'null' }, minItems: 1 }, []));
  });

  test('keeps to its format', () => {
    const formats: Record<string, { good: string[]; bad: string[] }> = {
      date: { good: ['2026-11-18', '2028-02-29'], bad: ['2026-02-29', '2026-13-01', '18.11.2026', ''] },
      time: { good: ['09:30', '23:59:59', '09:30:00Z', '09:30:00.5+02:00'], bad: ['24:00', '9:30', 'ten'] },
      'date-time': {
        good: ['2026-11-18T09:30:00Z', '2026-11-18t09:30:00+01:00'],
        bad: ['2026-11-18', '2026-11-18T09:30'],
      },
      email: { good: ['ana@example.com'], bad: ['ana', 'ana@example', 'a b@example.com', '@example.com'] },
      uri: {
        good: ['https://example.com/a?b', 'mailto:ana@example.com'],
        bad: ['example.com', 'https://', '/a'],
      },
      e164: { good: ['+14155550123'], bad: ['4155550123', '+0123456', '+1 415'] },
      duration: { good: ['P1D', 'PT30M', 'P2W', 'P1Y2M3DT4H5M6.5S'], bad: ['P', 'PT', '30M', 'P1W2D'] },
    };
    for (const [format, { good, bad }] of Object.entries(formats)) {
      for (const value of good) assert.ok(of({ type: 'string', format }, value), `${format} ${value}`);
      for (const value of bad) assert.ok(!of({ type: 'string', format }, value), `${format} ${value}`);
    }
  });

  test('lists at most 20 problems, and a long hostile text stays cheap', () => {
    const schema = object({
      a: { type: 'array', items: { type: 'string' } },
      b: { type: 'string', format: 'email' },
    });
    assert.equal(validateValue(schema, { a: Array(1000).fill(1) }).length, 20);
    assert.equal(wrong(schema, { b: `${'a.'.repeat(500_000)}@` }).length, 1);
  });
});

/** A random schema of the supported part, and a value that satisfies it. */
function randomPair(random: RandomNumbers, depth = 1): { schema: SchemaNode; value: unknown } {
  const kind = random.below(depth >= schema_limits.depth ? 4 : 6);
  if (depth === 1 || kind === 5) {
    const pairs = Array.from(
      { length: random.below(4) },
      (_, index) => [`p${index}`, randomPair(random, depth + 1)] as const,
    );
    const present = pairs.filter(() => random.below(3) > 0);
    return {
      schema: {
        type: 'object',
        properties: Object.fromEntries(pairs.map(([name, { schema }]) => [name, schema])),
        required: present.slice(0, random.below(present.length + 1)).map(([name]) => name),
      },
      value: Object.fromEntries(present.map(([name, { value }]) => [name, value])),
    };
  }
  if (kind === 4) {
    const item = randomPair(random, depth + 1);
    return {
      schema: { type: 'array', items: item.schema, maxItems: 3 },
      value: Array(random.below(4)).fill(item.value),
    };
  }
  const number = (random.below(2000) - 1000) / random.pick([1, 3]);
  const word = random.pick(['', 'ten', 'ä', '👍', 'a'.repeat(random.below(30))]);
  return [
    { schema: { type: ['string', 'null'] as const, maxLength: 30 }, value: random.pick([word, null]) },
    { schema: { type: 'number' as const, minimum: -1000, maximum: 1000 }, value: number },
    {
      schema: { enum: [...new Set([word, 'other', number, true])] },
      value: random.pick([word, 'other', number, true]),
    },
    { schema: { type: 'boolean' as const }, value: random.pick([true, false]) },
  ][kind]! as { schema: SchemaNode; value: unknown };
}

/** Replaces one part of a JSON value at a random place. */
function damaged(random: RandomNumbers, value: unknown): unknown {
  const foreign = random.pick([
    null,
    -0,
    1e308,
    'x',
    [],
    {},
    [null],
    { type: {} },
    { enum: 'a' },
    { items: [] },
    { required: [1] },
  ]);
  if (random.below(3) === 0 || typeof value !== 'object' || value === null) return foreign;
  const keys = Object.keys(value);
  // In JSON only an object can have these.
  const foreign_keys = Array.isArray(value) ? ['0'] : ['type', 'toString', 'constructor', 'a'];
  const key = random.below(4) === 0 || keys.length === 0 ? random.pick(foreign_keys) : random.pick(keys);
  const copy = structuredClone(value) as Record<string, unknown>;
  copy[key] = damaged(random, copy[key]);
  return copy;
}

test('random schemas accept the values made for them, and damage never breaks a check', () => {
  const random = randomNumbers(test_seed);
  for (let round = 0; round < 2000; round++) {
    const { schema, value } = randomPair(random);
    assert.deepEqual(checkSchema(schema), [], `seed ${test_seed}: ${JSON.stringify(schema)}`);
    assert.deepEqual(
      validateValue(schema, value),
      [],
      `seed ${test_seed}: ${JSON.stringify({ schema, value })}`,
    );
    validateValue(schema, damaged(random, value));
    const hurt = damaged(random, schema) as Record<string, unknown>;
    // What the check accepts can be used for every value.
    if (checkSchema(hurt).length === 0) validateValue(hurt, value);
  }
});
