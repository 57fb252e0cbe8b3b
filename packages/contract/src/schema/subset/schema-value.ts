// Checks a value against a schema of the supported part of JSON Schema. The value is not trusted: a model or a stranger wrote it.
import { hasFormat } from './schema-formats.ts';
import {
  type SchemaNode,
  type SchemaProblem,
  type SchemaScalar,
  type SchemaType,
  schema_limits,
} from './schema-terms.ts';

const is: Record<SchemaType, (value: unknown) => boolean> = {
  object: (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
  array: Array.isArray,
  string: (value) => typeof value === 'string',
  number: (value) => Number.isFinite(value),
  integer: (value) => Number.isInteger(value),
  boolean: (value) => typeof value === 'boolean',
  null: (value) => value === null,
};

/** Adds problems to `found` until it holds as many as are listed. */
export function checkValue(schema: SchemaNode, value: unknown, path: string, found: SchemaProblem[]): void {
  if (found.length >= schema_limits.problems) return;
  const problem = problemOf(schema, value);
  if (problem !== null) {
    found.push({ path, problem });
    return;
  }
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries())
      checkValue(schema.items ?? {}, item, joined(path, `${index}`), found);
  } else if (is.object(value)) {
    checkProperties(schema, value as Record<string, unknown>, path, found);
  }
}

function checkProperties(
  schema: SchemaNode,
  value: Record<string, unknown>,
  path: string,
  found: SchemaProblem[],
): void {
  const { properties = {}, required = [] } = schema;
  for (const name of required) {
    if (!Object.hasOwn(value, name)) found.push({ path: joined(path, name), problem: 'Missing' });
  }
  for (const name of Object.keys(value)) {
    const at = joined(path, name.slice(0, 64));
    if (Object.hasOwn(properties, name)) checkValue(properties[name]!, value[name], at, found);
    else found.push({ path: at, problem: 'There is no such property' });
  }
}

function problemOf(schema: SchemaNode, value: unknown): string | null {
  const types = schema.type === undefined ? [] : [schema.type].flat();
  if (types.length > 0 && !types.some((type) => is[type](value))) return `Expected ${types.join(' or ')}`;
  if (schema.const !== undefined && value !== schema.const) return `Expected ${JSON.stringify(schema.const)}`;
  if (schema.enum && !schema.enum.includes(value as SchemaScalar)) {
    return `Expected one of ${JSON.stringify(schema.enum).slice(1, 301)}`.replace(/\]$/, '');
  }
  if (typeof value === 'string') return textProblem(schema, value);
  if (typeof value === 'number') return numberProblem(schema, value);
  if (Array.isArray(value)) return itemsProblem(schema, value);
  return null;
}

function textProblem(
  { minLength = 0, maxLength = Infinity, format }: SchemaNode,
  value: string,
): string | null {
  // JSON Schema counts characters, not UTF-16 code units.
  const length = value.length > maxLength || value.length < minLength * 2 ? [...value].length : value.length;
  if (length < minLength) return `Expected at least ${minLength} characters`;
  if (length > maxLength) return `Expected at most ${maxLength} characters`;
  return format !== undefined && !hasFormat(value, format) ? `Expected the format ${format}` : null;
}

function numberProblem(
  { minimum = -Infinity, maximum = Infinity }: SchemaNode,
  value: number,
): string | null {
  if (value < minimum) return `Expected at least ${minimum}`;
  return value > maximum ? `Expected at most ${maximum}` : null;
}

function itemsProblem({ minItems = 0, maxItems = Infinity }: SchemaNode, value: unknown[]): string | null {
  if (value.length < minItems) return `Expected at least ${minItems} items`;
  return value.length > maxItems ? `Expected at most ${maxItems} items` : null;
}

const joined = (path: string, key: string) => (path === '' ? key : `${path}.${key}`);
