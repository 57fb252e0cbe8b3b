// Turns the declared operations and events into an OpenAPI 3.1 document.
import { z } from 'zod';
import { type ErrorCode, errors, problemCodes } from './errors.ts';
import { EventEnvelope } from './event.ts';
import { events, operationGroups } from './index.ts';
import { type Json, type SchemaCollection, schemaCollection } from './json-schema.ts';
import { api_version, limits } from './limits.ts';
import { errorsOf, type Operation } from './operation.ts';

export const Problem = z
  .object({
    type: z.string().describe('The kind of problem, as a URN.'),
    title: z.string(),
    status: z.number().int(),
    detail: z.string().describe('Details of this occurrence.'),
    code: z.enum(Object.keys(errors) as [ErrorCode, ...ErrorCode[]]).describe('The stable error code.'),
    fix: z.string().describe('What you can do next.'),
    request_id: z.string(),
    errors: z
      .array(
        z.object({
          path: z.string().describe('The location, such as body.to[0], query.limit or path.contact_id.'),
          message: z.string(),
          code: z.enum(Object.keys(problemCodes) as [string, ...string[]]),
        }),
      )
      .optional()
      .describe('All validation errors of a 422 response.'),
  })
  .meta({ id: 'Problem' });

const rateHeaders = {
  'RateLimit-Limit': 'Requests per minute for this caller.',
  'RateLimit-Remaining': 'Remaining requests.',
  'RateLimit-Reset': 'Seconds until the full quota is available.',
};

const header = (description: string, type: 'string' | 'integer' = 'integer') => ({
  description,
  schema: { type },
});
const rateLimitHeaders = Object.fromEntries(
  Object.entries(rateHeaders).map(([name, description]) => [name, header(description)]),
);
const requestIdHeader = { 'X-Request-Id': header('The id of this request in logs and reports.', 'string') };

export function buildOpenApi(base_url: string): Json {
  const schemas = schemaCollection();
  return {
    openapi: '3.1.0',
    info: {
      title: 'Parley',
      version: api_version,
      summary: 'A phone, a mailbox and a text line for AI agents.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: base_url }],
    security: [{ bearer: [] }],
    tags: operationGroups.map(({ noun, description }) => ({ name: noun, description })),
    paths: pathsOf(schemas),
    webhooks: webhooksOf(schemas),
    components: {
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } },
      schemas: schemas.components(),
    },
  };
}

function pathsOf(schemas: SchemaCollection): Json {
  const paths: Record<string, Json> = {};
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
        responses: { ...successOf(operation, schemas), ...problemsOf(operation, schemas) },
      };
    }
  }
  return paths;
}

function parametersOf(operation: Operation, schemas: SchemaCollection): Json[] {
  const parameters: Json[] = [];
  for (const [location, shape] of [
    ['path', operation.params?.shape],
    ['query', operation.query?.shape],
  ] as const) {
    for (const [name, field] of Object.entries(shape ?? {})) {
      const { description, ...schema } = schemas.convert(field as z.ZodType, 'input');
      const required = location === 'path' || !(field as z.ZodType).safeParse(undefined).success;
      parameters.push({ name, in: location, required, ...(description ? { description } : {}), schema });
    }
  }
  if (operation.idempotent) {
    parameters.push({
      name: 'Idempotency-Key',
      in: 'header',
      required: false,
      description:
        'Send the same key with a retry: the operation runs once, and a retry gets the first response.',
      schema: { type: 'string', minLength: 1, maxLength: limits.idempotency_key_chars },
    });
  }
  return parameters;
}

function requestBodyOf(operation: Operation, schemas: SchemaCollection): Json {
  if (operation.upload) return { requestBody: uploadBody(operation.upload) };
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
  const headers: Json = { ...requestIdHeader };
  if (operation.access !== 'public') Object.assign(headers, rateLimitHeaders);
  if (operation.access === 'any_credential') {
    headers['X-OAuth-Scopes'] = header('The scopes of the credential, separated by commas.', 'string');
  }
  if (operation.idempotent) {
    headers['Idempotent-Replayed'] = header('true when the response is a stored one.', 'string');
  }
  if (success.status === 302) headers.Location = header('A temporary URL of the content.', 'string');
  return {
    [success.status]: {
      description: successDescriptions[success.status],
      headers,
      ...('body' in success && {
        content: {
          'application/json': { schema: schemas.convert(success.body, 'output'), example: success.example },
        },
      }),
      ...('stream' in success && { content: { [success.stream]: { schema: { type: 'string' } } } }),
    },
  };
}

/** One response per status, with all error codes that have this status. */
function problemsOf(operation: Operation, schemas: SchemaCollection): Json {
  const responses: Json = {};
  const byStatus = Map.groupBy(errorsOf(operation), (code) => errors[code].status);
  for (const [status, codes] of byStatus) {
    const retryLater = status === 429 || status === 503 || codes.includes('idempotency_in_progress');
    responses[status] = {
      description: codes.map((code) => `\`${code}\`: ${errors[code].when}`).join('\n\n'),
      headers: {
        ...requestIdHeader,
        ...(status === 401 && { 'WWW-Authenticate': header('Bearer', 'string') }),
        ...(status === 429 && rateLimitHeaders),
        ...(retryLater && { 'Retry-After': header('Seconds to wait before trying again.') }),
      },
      content: {
        'application/problem+json': {
          schema: schemas.convert(Problem, 'output'),
          examples: Object.fromEntries(codes.map((code) => [code, { value: problemExample(code) }])),
        },
      },
    };
  }
  return responses;
}

function webhooksOf(schemas: SchemaCollection): Json {
  const envelope = schemas.convert(EventEnvelope, 'output');
  const webhooks: Json = {};
  for (const [type, event] of Object.entries(events)) {
    const data = schemas.convert(event.data, 'output');
    const json = {
      schema: { allOf: [envelope, { properties: { type: { const: type }, data } }] },
      example: {
        id: '019a8c1e-aaaa-7bbb-8ccc-0d1e2f304151',
        type,
        api_version: EventEnvelope.shape.api_version.value,
        created_at: '2026-06-06T12:00:00.000Z',
        organization_id: '00000000-0000-0000-0000-000000000000',
        data: event.example,
      },
    };
    webhooks[type] = {
      post: {
        operationId: `event.${type}`,
        summary: event.meaning,
        requestBody: { content: { 'application/json': json } },
        responses: { '2XX': { description: 'Accepted. Any other response, or a timeout, is retried.' } },
      },
    };
  }
  return webhooks;
}

const uploadBody = ({ field, description }: { field: string; description: string }): Json => ({
  required: true,
  content: {
    'multipart/form-data': {
      schema: {
        type: 'object',
        properties: { [field]: { type: 'string', format: 'binary', description } },
        required: [field],
      },
    },
  },
});

function problemExample(code: ErrorCode): Json {
  const { status, message, fix } = errors[code];
  return {
    type: `urn:parley:error:${code}`,
    title: message,
    status,
    detail: message,
    code,
    fix,
    request_id: '019a8c1e-0000-7000-8000-000000000001',
    ...(code === 'validation_failed'
      ? { errors: [{ path: 'body.name', message: 'Expected a name', code: 'required' }] }
      : {}),
  };
}
