// Turns the declared operations and events into an OpenAPI 3.1 document.
import { EventEnvelope } from '../event.ts';
import { events, operationGroups } from '../index.ts';
import type { Operation } from '../operation.ts';
import { type Json, type SchemaCollection, schemaCollection } from '../schema/json-schema.ts';
import { version } from '../version.ts';
import { parametersOf, shareParameters } from './openapi-parameters.ts';
import { headerReferences, headers, type ProblemCollection, problemCollection } from './openapi-problems.ts';

const description = `## Requests and responses

Send \`Authorization: Bearer <key>\` with every request. Bodies are JSON in snake_case. Times are ISO 8601 in UTC with milliseconds.
Lists return \`items\`, newest first, and \`next_cursor\`. Every response has \`X-Request-Id\`, and with a credential also
\`RateLimit-Limit\`, \`RateLimit-Remaining\` and \`RateLimit-Reset\`.

## Errors

Errors are \`application/problem+json\` (RFC 9457) with a stable \`code\` and a \`fix\` that says what to do next.`;

export function buildOpenApi(base_url: string): Json {
  const schemas = schemaCollection();
  const problems = problemCollection(schemas);
  const paths = pathsOf(schemas, problems);
  const parameters = shareParameters(Object.values(paths).flatMap((methods) => Object.values(methods)));
  const webhooks = webhooksOf(schemas);
  const named = schemas.components() as Record<string, Json>;
  return {
    openapi: '3.1.0',
    info: {
      title: 'Parley',
      version,
      summary: 'A phone, a mailbox and a text line for AI agents.',
      description,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: base_url }],
    security: [{ bearer: [] }],
    tags: operationGroups.map(({ noun, description }) => ({ name: noun, description })),
    paths,
    webhooks,
    components: {
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } },
      parameters,
      headers,
      ...problems.components(),
      schemas: { ...named, Problem: problems.describe(named.Problem!) },
    },
  };
}

type Paths = Record<string, Record<string, Json & { parameters: Json[] }>>;

function pathsOf(schemas: SchemaCollection, problems: ProblemCollection): Paths {
  const paths: Paths = {};
  for (const { noun, operations } of operationGroups) {
    for (const [name, operation] of Object.entries(operations)) {
      paths[operation.path] ??= {};
      paths[operation.path]![operation.method.toLowerCase()] = {
        operationId: `${noun}.${name}`,
        tags: [noun],
        summary: operation.summary,
        ...(operation.description ? { description: operation.description } : {}),
        ...(operation.access === 'public' ? { security: [] } : {}),
        parameters: parametersOf(operation, schemas),
        ...requestBodyOf(operation, schemas),
        responses: {
          ...successOf(operation, schemas),
          ...problems.responsesOf(`${noun}.${name}`, operation),
        },
      };
    }
  }
  return paths;
}

function requestBodyOf(operation: Operation, schemas: SchemaCollection): Json {
  if (operation.upload) return { requestBody: uploadBody(operation.upload, schemas) };
  if (!operation.body) return {};
  const json = {
    schema: schemas.convert(operation.body, 'input'),
    ...(operation.body_example === undefined ? {} : { example: operation.body_example }),
  };
  return { requestBody: { required: true, content: { 'application/json': json } } };
}

const successDescriptions = { 200: 'OK', 201: 'Created', 204: 'No content', 302: 'Redirect' };

function successOf(operation: Operation, schemas: SchemaCollection): Json {
  const { success } = operation;
  const names = [
    ...(operation.access === 'any_credential' ? (['X-OAuth-Scopes'] as const) : []),
    ...(operation.idempotent ? (['Idempotent-Replayed'] as const) : []),
    ...(success.status === 302 ? (['Location'] as const) : []),
  ] as const;
  return {
    [success.status]: {
      description: successDescriptions[success.status],
      ...(names.length > 0 ? { headers: headerReferences(names) } : {}),
      ...('body' in success && {
        content: { 'application/json': exampledSchema(operation, schemas) },
      }),
      ...('stream' in success && { content: { [success.stream]: { schema: { type: 'string' } } } }),
    },
  };
}

/**
 * The example is in the named schema, once for all operations that return it. A page has none: its items have one, and readers
 * build the page from them.
 */
function exampledSchema({ query, success }: Operation, schemas: SchemaCollection): Json {
  if (!('body' in success)) return {};
  const schema = schemas.convert(success.body, 'output');
  const is_page = query !== undefined && 'cursor' in query.shape && '$ref' in schema;
  return is_page || schemas.addExample(schema, success.example)
    ? { schema }
    : { schema, example: success.example };
}

function webhooksOf(schemas: SchemaCollection): Json {
  const envelope = schemas.convert(EventEnvelope, 'output');
  const webhooks: Json = {};
  for (const [type, event] of Object.entries(events)) {
    const data = schemas.convert(event.data, 'output');
    // Once for all events with the same data; readers build the envelope from its schema.
    schemas.addExample(data, event.example);
    const json = {
      schema: { allOf: [envelope, { properties: { type: { const: type }, data } }] },
    };
    webhooks[type] = {
      post: {
        operationId: `event.${type}`,
        summary: event.meaning,
        requestBody: { content: { 'application/json': json } },
        responses: { '2XX': { description: 'Accepted; else it is retried.' } },
      },
    };
  }
  return webhooks;
}

function uploadBody(
  { field, description, fields }: NonNullable<Operation['upload']>,
  schemas: SchemaCollection,
): Json {
  const texts = fields
    ? (schemas.convert(fields, 'input') as { properties: Json; required?: string[] })
    : null;
  return {
    required: true,
    content: {
      'multipart/form-data': {
        schema: {
          type: 'object',
          properties: { [field]: { type: 'string', format: 'binary', description }, ...texts?.properties },
          required: [field, ...(texts?.required ?? [])],
        },
      },
    },
  };
}
