// The parts of the OpenAPI document that the clients and the tools are generated from.

export type Json = { [key: string]: unknown };

export type Parameter = {
  name: string;
  in: 'path' | 'query' | 'header';
  required?: boolean;
  description?: string;
  schema: Json;
};

export type Operation = {
  operationId: string;
  summary: string;
  description?: string;
  parameters: Parameter[];
  requestBody?: { content: Record<string, { schema: Json }> };
  responses: Record<string, { content?: Record<string, { schema: Json }> }>;
};

export type Document = {
  paths: Record<string, Record<string, Operation>>;
  webhooks: Record<
    string,
    {
      post: {
        summary: string;
        requestBody: { content: { 'application/json': { schema: { allOf: Json[] } } } };
      };
    }
  >;
  tags: { name: string; description: string }[];
  components: { schemas: Record<string, Json> };
};

/** Follows references such as `#/components/responses/unauthenticated`. */
export function resolved<T>(document: unknown, value: T): T {
  const reference = (value as Json).$ref;
  if (typeof reference !== 'string') return value;
  return reference
    .slice(2)
    .split('/')
    .reduce((node, name) => (node as Json)[name], document) as T;
}

/** The last part of a reference to a schema. */
export const referredName = (schema: Json): string | null =>
  typeof schema.$ref === 'string' ? schema.$ref.split('/').at(-1)! : null;

/** Whether an operation returns pages of one kind of record. A page with further fields, such as that of search, is a record. */
export function isList(document: unknown, { parameters, responses }: Operation): boolean {
  if (!parameters.some((parameter) => resolved(document, parameter).name === 'cursor')) return false;
  const [, response] = Object.entries(responses).find(([code]) => Number(code) < 400)!;
  const schema = resolved(document, response).content?.['application/json']?.schema;
  const properties = schema && (resolved(document, schema).properties as Json | undefined);
  return Object.keys(properties ?? {}).every((name) => name === 'items' || name === 'next_cursor');
}
