// The part of JSON Schema that tools and results use: checks that a schema keeps to it, and that a value satisfies a schema.
// No `$ref` and no `pattern`: a schema comes from users, and neither recursion nor a slow regular expression may come with it.
import { z } from 'zod';
import { checkNode } from './schema-node.ts';
import { type SchemaNode, type SchemaProblem, schema_limits } from './schema-terms.ts';
import { checkValue } from './schema-value.ts';

export { type SchemaNode, type SchemaProblem, schema_limits } from './schema-terms.ts';

/** A schema in a request. Each problem is reported at its path, with the code schema_not_supported. */
export const JsonSchema = z
  .record(z.string(), z.unknown())
  .superRefine((schema, context) => {
    for (const { path, problem } of checkSchema(schema)) {
      context.addIssue({
        code: 'custom',
        path: path === '' ? [] : path.split('.'),
        message: problem,
        params: { error: 'schema_not_supported' },
      });
    }
  })
  .meta({
    id: 'JsonSchema',
    description:
      'JSON Schema of an object. Supported: type (also [T, "null"]), properties, required, items, enum, const, minimum, maximum, minLength, maxLength, minItems, maxItems, format (date, time, date-time, email, uri, e164, duration), title, description, additionalProperties: false.',
  });
export type JsonSchema = z.infer<typeof JsonSchema>;

/** What is not supported in a schema; none: it can be used. */
export function checkSchema(schema: unknown): SchemaProblem[] {
  const bytes = new TextEncoder().encode(JSON.stringify(schema) ?? '').length;
  if (bytes > schema_limits.bytes) {
    return [
      { path: '', problem: `The schema has ${bytes} bytes of JSON; ${schema_limits.bytes} are allowed` },
    ];
  }
  const problems: SchemaProblem[] = [];
  const used = checkNode(schema, '', 1, problems);
  const root = schema as SchemaNode | null;
  if (problems.length === 0 && root?.type !== 'object') {
    problems.push({ path: 'type', problem: 'The schema itself must have the type object' });
  }
  if (used.properties > schema_limits.properties) {
    problems.push({
      path: '',
      problem: `At most ${schema_limits.properties} properties in all are supported`,
    });
  }
  if (used.enum_values > schema_limits.enum_values) {
    problems.push({
      path: '',
      problem: `At most ${schema_limits.enum_values} enum values in all are supported`,
    });
  }
  return problems.slice(0, schema_limits.problems);
}

/** What is wrong with a value; none: it satisfies the schema. The schema must have passed `checkSchema`. */
export function validateValue(schema: Readonly<Record<string, unknown>>, value: unknown): SchemaProblem[] {
  const problems: SchemaProblem[] = [];
  checkValue(schema as SchemaNode, value, '', problems);
  return problems.slice(0, schema_limits.problems);
}
