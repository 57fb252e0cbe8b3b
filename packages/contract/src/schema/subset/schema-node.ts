// Checks one node of a schema and those below it against the supported part of JSON Schema.
import { schema_formats } from './schema-formats.ts';
import { type SchemaProblem, type SchemaType, schema_limits, schema_types } from './schema-terms.ts';

type Use = { properties: number; enum_values: number };
type Keyword = {
  /** The types that the keyword constrains; absent: all. */
  of?: readonly SchemaType[];
  /** What is wrong with the keyword's value; null: nothing. */
  check(value: unknown): string | null;
};

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isScalar = (value: unknown) =>
  value === null || typeof value === 'string' || typeof value === 'boolean' || Number.isFinite(value);
const text = (value: unknown) => (typeof value === 'string' ? null : 'Expected a text');
const number = (value: unknown) => (Number.isFinite(value) ? null : 'Expected a number');
const count = (value: unknown) =>
  Number.isInteger(value) && (value as number) >= 0 ? null : 'Expected a whole number that is not negative';

const strings = ['string'] as const;
const numbers = ['number', 'integer'] as const;
const arrays = ['array'] as const;
const objects = ['object'] as const;

/** Object.hasOwn is needed to look a name up: it comes from the user. */
const keywords: Record<string, Keyword> = {
  type: { check: checkType },
  title: { check: text },
  description: { check: text },
  enum: { check: checkEnum },
  const: { check: (value) => (isScalar(value) ? null : 'Expected a text, number, boolean or null') },
  minimum: { of: numbers, check: number },
  maximum: { of: numbers, check: number },
  minLength: { of: strings, check: count },
  maxLength: { of: strings, check: count },
  format: { of: strings, check: checkFormat },
  minItems: { of: arrays, check: count },
  maxItems: { of: arrays, check: count },
  items: { of: arrays, check: () => null },
  properties: { of: objects, check: (value) => (isRecord(value) ? null : 'Expected an object of schemas') },
  required: { of: objects, check: checkRequired },
  additionalProperties: {
    of: objects,
    check: (value) => (value === false ? null : 'Only false is supported'),
  },
};

/** Property names that every vendor accepts. `__proto__` could change an object instead of being stored in it. */
const property_name = /^(?!__proto__$)[A-Za-z0-9_.-]{1,64}$/;
const ranges = [
  ['minimum', 'maximum'],
  ['minLength', 'maxLength'],
  ['minItems', 'maxItems'],
] as const;

/** Adds the problems to `found` and counts what has a limit for the whole schema. */
export function checkNode(node: unknown, path: string, depth: number, found: SchemaProblem[]): Use {
  const used: Use = { properties: 0, enum_values: 0 };
  if (!isRecord(node)) {
    found.push({ path, problem: 'Expected a schema, which is an object' });
    return used;
  }
  if (depth > schema_limits.depth) {
    found.push({ path, problem: `At most ${schema_limits.depth} levels are supported` });
    return used;
  }
  checkKeywords(node, path, found);
  if (Array.isArray(node.enum)) used.enum_values += node.enum.length;
  for (const [name, below] of isRecord(node.properties) ? Object.entries(node.properties) : []) {
    const at = joined(path, `properties.${name}`);
    if (!property_name.test(name)) {
      found.push({ path: at, problem: 'A name has 1 to 64 letters, digits, dots, dashes or underscores' });
    }
    used.properties += 1;
    add(used, checkNode(below, at, depth + 1, found));
  }
  if (node.items !== undefined) add(used, checkNode(node.items, joined(path, 'items'), depth + 1, found));
  return used;
}

function checkKeywords(node: Record<string, unknown>, path: string, found: SchemaProblem[]): void {
  const types = typesOf(node.type);
  if (!('type' in node || 'enum' in node || 'const' in node)) {
    found.push({ path: joined(path, 'type'), problem: 'Expected a type, an enum or a const' });
  }
  for (const [name, value] of Object.entries(node)) {
    const keyword = Object.hasOwn(keywords, name) ? keywords[name] : undefined;
    const problem = keyword ? problemOf(name, keyword, value, types) : 'This keyword is not supported';
    if (problem !== null) found.push({ path: joined(path, name), problem });
  }
  for (const name of Array.isArray(node.required) ? node.required : []) {
    if (!isRecord(node.properties) || !Object.hasOwn(node.properties, name)) {
      found.push({ path: joined(path, 'required'), problem: `${JSON.stringify(name)} is not in properties` });
    }
  }
  for (const [least, most] of ranges) {
    if ((node[least] as number) > (node[most] as number)) {
      found.push({ path: joined(path, most), problem: `Expected at least the value of ${least}` });
    }
  }
  if (types.includes('array') && node.items === undefined) {
    found.push({ path: joined(path, 'items'), problem: 'An array needs the schema of its items' });
  }
}

function problemOf(name: string, keyword: Keyword, value: unknown, types: string[]): string | null {
  if (keyword.of && !keyword.of.some((type) => types.includes(type))) {
    return `${name} needs the type ${keyword.of.join(' or ')}`;
  }
  return keyword.check(value);
}

const typesOf = (type: unknown): string[] =>
  (Array.isArray(type) ? type : [type]).filter((one) => typeof one === 'string');
const isType = (value: unknown) => (schema_types as readonly unknown[]).includes(value);

function checkType(value: unknown): string | null {
  if (isType(value)) return null;
  const is_nullable =
    Array.isArray(value) && value.length === 2 && value.every(isType) && value.includes('null');
  return is_nullable && value[0] !== value[1]
    ? null
    : `Expected one of ${schema_types.join(', ')}, or a list of one of them and "null"`;
}

function checkEnum(value: unknown): string | null {
  const is_list = Array.isArray(value) && value.length > 0 && value.every(isScalar);
  if (!is_list) return 'Expected a list of texts, numbers, booleans or null, with at least one value';
  return new Set(value).size === value.length ? null : 'Each value can be listed once';
}

function checkRequired(value: unknown): string | null {
  if (!Array.isArray(value) || !value.every((name) => typeof name === 'string'))
    return 'Expected a list of names';
  return new Set(value).size === value.length ? null : 'Each name can be listed once';
}

function checkFormat(value: unknown): string | null {
  return typeof value === 'string' && Object.hasOwn(schema_formats, value)
    ? null
    : `Expected one of ${Object.keys(schema_formats).join(', ')}`;
}

const joined = (path: string, key: string) => (path === '' ? key : `${path}.${key}`);

function add(used: Use, more: Use): void {
  used.properties += more.properties;
  used.enum_values += more.enum_values;
}
