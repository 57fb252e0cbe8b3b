// Parameters of the OpenAPI document: those that several operations share are described once in `components`.
import type { z } from 'zod';
import { limits } from '../limits.ts';
import type { Operation } from '../operation.ts';
import type { Json, SchemaCollection } from '../schema/json-schema.ts';

const idempotencyKey = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description:
    'Send the same key with a retry: the operation runs once, and a retry gets the first response.',
  schema: { type: 'string', minLength: 1, maxLength: limits.idempotency_key_chars },
};

export function parametersOf(operation: Operation, schemas: SchemaCollection): Json[] {
  const parameters: Json[] = [];
  for (const [location, shape] of [
    ['path', operation.params?.shape],
    ['query', operation.query?.shape],
  ] as const) {
    for (const [name, field] of Object.entries(shape ?? {})) {
      const { description, ...schema } = schemas.convert(field as z.ZodType, 'input');
      const required = location === 'path' || !(field as z.ZodType).safeParse(undefined).success;
      // metadata[order]=7
      const style = schema.type === 'object' ? { style: 'deepObject', explode: true } : {};
      parameters.push({
        name,
        in: location,
        required,
        ...(description ? { description } : {}),
        ...style,
        schema,
      });
    }
  }
  if (operation.idempotent) parameters.push(idempotencyKey);
  return parameters;
}

type WithParameters = { parameters: Json[] };

/** Replaces parameters that occur twice by references, and returns them for `components`. */
export function shareParameters(operations: readonly WithParameters[]): Json {
  const uses = Map.groupBy(
    operations.flatMap(({ parameters }) => parameters),
    (parameter) => JSON.stringify(parameter),
  );
  const shared: Json = {};
  // Two different parameters may have the same name; the one that occurs most often gets the shared name.
  for (const [parameter, ...others] of [...uses.values()].toSorted((a, b) => b.length - a.length))
    if (others.length > 0) shared[parameter!.name as string] ??= parameter!;
  for (const operation of operations) {
    operation.parameters = operation.parameters.map((parameter) => {
      const name = parameter.name as string;
      return JSON.stringify(shared[name]) === JSON.stringify(parameter)
        ? { $ref: `#/components/parameters/${name}` }
        : parameter;
    });
  }
  return shared;
}

/** For generators that read `parameters` of an operation directly. */
export function withInlineParameters(document: Json): Json {
  const { parameters } = document.components as { parameters: Record<string, Json> };
  const resolved = (parameter: Json) =>
    typeof parameter.$ref === 'string' ? parameters[parameter.$ref.split('/').at(-1)!]! : parameter;
  const paths = Object.entries(document.paths as Record<string, Record<string, WithParameters>>).map(
    ([path, methods]) => [
      path,
      Object.fromEntries(
        Object.entries(methods).map(([method, operation]) => [
          method,
          { ...operation, parameters: operation.parameters.map(resolved) },
        ]),
      ),
    ],
  );
  return { ...document, paths: Object.fromEntries(paths) };
}
