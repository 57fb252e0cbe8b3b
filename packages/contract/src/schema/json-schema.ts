// Converts zod schemas to JSON Schema and collects the named ones for `components` of an OpenAPI document.
import { z } from 'zod';
import { Timestamp, Uuid } from './fields.ts';

export type Json = { [key: string]: unknown };

export type SchemaCollection = {
  /** Converts to JSON Schema. Named schemas move to `components` and are referenced. */
  convert(schema: z.ZodType, io: 'input' | 'output'): Json;
  /** Adds an example to the named schema that `reference` refers to; false when it refers to none. The first one stays. */
  addExample(reference: Json, example: unknown): boolean;
  /** The named schemas converted so far, sorted by name. */
  components(): Json;
};

export function schemaCollection(): SchemaCollection {
  const named: Json = {};
  const inputs = new Set<string>();
  const examples = new Map<string, unknown>();
  return {
    convert(schema, io) {
      const converted = z.toJSONSchema(schema, {
        io,
        target: 'draft-2020-12',
        unrepresentable: 'any',
        override: ({ zodSchema, jsonSchema }) => {
          applyMetadata(zodSchema, jsonSchema as Json);
          if (io === 'output') removeFormatDescription(jsonSchema as Json);
          if (io === 'output') allowNewFields(jsonSchema as Json);
        },
      });
      const { $schema: _, $defs, ...rest } = withComponentReferences(converted as Json);
      const id = metadataOf(schema)?.id;
      const has_name = id !== undefined && !('$ref' in rest);
      for (const [name, part] of Object.entries({
        ...($defs as Json),
        ...(has_name ? { [id]: rest } : {}),
      })) {
        // A request is stricter than a response: what is in both is described as in the request.
        if (io === 'output' && inputs.has(name)) continue;
        if (io === 'input') inputs.add(name);
        named[name] = part;
      }
      if (!has_name) return rest;
      return { $ref: `#/components/schemas/${id}` };
    },
    addExample({ $ref }, example) {
      const name = typeof $ref === 'string' ? $ref.split('/').at(-1)! : null;
      if (name === null) return false;
      if (!examples.has(name)) examples.set(name, example);
      return true;
    },
    components: () =>
      Object.fromEntries(
        Object.entries(named)
          .sort(([a], [b]) => (a < b ? -1 : 1))
          .map(([name, schema]) => [name, withExample(schema as Json, examples.get(name))]),
      ),
  };
}

const withExample = (schema: Json, example: unknown): Json =>
  example === undefined ? schema : { ...schema, examples: [example] };

const metadataOf = (schema: z.core.$ZodType) =>
  z.globalRegistry.get(schema) as { id?: string; json_schema?: Json } | undefined;

const withComponentReferences = (schema: Json): Json =>
  JSON.parse(JSON.stringify(schema).replaceAll('#/$defs/', '#/components/schemas/'), (_, value) =>
    withShortNull(withoutStringNames(value)),
  );

/** The names of JSON properties are always strings. */
function withoutStringNames(value: unknown): unknown {
  const { propertyNames, ...rest } = (value ?? {}) as { propertyNames?: Json };
  const is_plain = propertyNames?.type === 'string' && Object.keys(propertyNames).length === 1;
  return is_plain ? rest : value;
}

const simple_types = new Set(['string', 'integer', 'number', 'boolean']);

/** "A simple type or null" as a list of types, which is much shorter than a choice of two schemas. */
function withShortNull(value: unknown): unknown {
  const { anyOf, ...rest } = (value ?? {}) as { anyOf?: Json[] };
  const [first, second] = anyOf ?? [];
  if (anyOf?.length !== 2 || second!.type !== 'null' || !simple_types.has(first!.type as string))
    return value;
  return 'enum' in first! ? value : { ...first, ...rest, type: [first!.type, 'null'] };
}

/** Replaces the generated schema by `json_schema` of its metadata, and removes keywords that readers do not need. */
function applyMetadata(schema: z.core.$ZodType, target: Json): void {
  const json_schema = metadataOf(schema)?.json_schema;
  if (json_schema) {
    for (const key of Object.keys(target)) if (key !== 'description') delete target[key];
    Object.assign(target, json_schema);
  }
  delete target.json_schema;
  delete target.id;
  if (target.minimum === Number.MIN_SAFE_INTEGER) delete target.minimum;
  if (target.maximum === Number.MAX_SAFE_INTEGER) delete target.maximum;
  // The patterns that zod generates for these formats are very long and say less than the name of the format.
  if (target.format === 'uuid' || target.format === 'date-time' || target.format === 'email') {
    delete target.pattern;
  }
}

/** A client that is generated from this release must accept records of the next one, which may have more fields. */
function allowNewFields(target: Json): void {
  if (target.additionalProperties === false) delete target.additionalProperties;
}

const formatDescriptions = new Set([Uuid.description, Timestamp.description]);

/** In a response the name of the format is enough; in a request the text says what is accepted. */
function removeFormatDescription(target: Json): void {
  if (formatDescriptions.has(target.description as string)) delete target.description;
}
