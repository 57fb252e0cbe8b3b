// The form of a supported schema, of a problem, and the limits of both.

export const schema_types = ['object', 'array', 'string', 'number', 'integer', 'boolean', 'null'] as const;
export type SchemaType = (typeof schema_types)[number];
export type SchemaScalar = string | number | boolean | null;

/** A schema that passed `checkSchema`. */
export type SchemaNode = {
  type?: SchemaType | SchemaType[];
  properties?: Record<string, SchemaNode>;
  required?: string[];
  additionalProperties?: false;
  items?: SchemaNode;
  enum?: SchemaScalar[];
  const?: SchemaScalar;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
  format?: string;
  title?: string;
  description?: string;
};

/** `path` has the keys from the root, separated by dots; the empty path is the root. */
export type SchemaProblem = { path: string; problem: string };

export const schema_limits = {
  /** Levels of objects and arrays, the root included. */
  depth: 5,
  properties: 100,
  enum_values: 500,
  bytes: 16 * 1024,
  /** More problems of one schema or value are not listed. */
  problems: 20,
} as const;
