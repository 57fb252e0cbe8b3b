// Turns the declared operations and events into an OpenAPI 3.1 document.
import { z } from 'zod';
import { type ErrorCode, errors, problemCodes } from './errors.ts';
import { EventEnvelope } from './event.ts';
import { events, operationGroups } from './index.ts';
import { api_version, limits } from './limits.ts';
import { errorsOf, type Operation } from './operation.ts';

type Json = { [key: string]: unknown };

export const Problem = z
  .object({
    type: z.string().describe('Names the kind of problem as a URN.'),
    title: z.string(),
    status: z.number().int(),
    detail: z.string().describe('What is wrong this time.'),
    code: z.enum(Object.keys(errors) as [ErrorCode, ...ErrorCode[]]).describe('Stable name of the problem.'),
    fix: z.string().describe('What you can do next.'),
    request_id: z.string(),
    errors: z
      .array(
        z.object({
          path: z.string().describe('Where, such as body.to[0], query.limit or path.contact_id.'),
          message: z.string(),
          code: z.enum(Object.keys(problemCodes) as [string, ...string[]]),
        }),
      )
      .optional()
      .describe('Every problem of a 422 at once.'),
  })
  .meta({ id: 'Problem' });

const rateHeaders = {
  'RateLimit-Limit': 'Requests a minute for this caller.',
  'RateLimit-Remaining': 'Requests left right now.',
  'RateLimit-Reset': 'Seconds until the full allowance is back.',
};

const header = (description: string, type: 'string' | 'integer' = 'integer') => ({
  description,
  schema: { type },
});
const rateLimitHeaders = Object.fromEntries(
  Object.entries(rateHeaders).map(([name, description]) => [name, header(description)]),
);

export function buildOpenApi(base_url: string): Json {
  const schemas: Json = {};

  /** One JSON Schema; named schemas move to components and are referred to. */
  const convert = (schema: z.ZodType, io: 'input' | 'output'): Json => {
    const made = z.toJSONSchema(schema, {
      io,
      target: 'draft-2020-12',
      unrepresentable: 'any',
      override: ({ zodSchema, jsonSchema }) => {
        const meta = z.globalRegistry.get(zodSchema) as { json_schema?: Json } | undefined;
        const target = jsonSchema as Json;
        if (meta?.json_schema) {
          for (const key of Object.keys(target)) if (key !== 'description') delete target[key];
          Object.assign(target, meta.json_schema);
        }
        delete target.json_schema;
        if (target.minimum === Number.MIN_SAFE_INTEGER) delete target.minimum;
        if (target.maximum === Number.MAX_SAFE_INTEGER) delete target.maximum;
        delete target.id;
        // zod's own patterns for these formats are pages long and say less than the format's name.
        if (target.format === 'uuid' || target.format === 'date-time' || target.format === 'email') {
          delete target.pattern;
        }
      },
    }) as Json;
    const {
      $schema: _,
      $defs,
      ...rest
    } = JSON.parse(JSON.stringify(made).replaceAll('#/$defs/', '#/components/schemas/'));
    for (const [name, definition] of Object.entries(($defs ?? {}) as Json)) schemas[name] = definition;
    const id = (z.globalRegistry.get(schema) as { id?: string } | undefined)?.id;
    if (!id || '$ref' in rest) return rest;
    schemas[id] = rest;
    return { $ref: `#/components/schemas/${id}` };
  };

  const parametersOf = (operation: Operation): Json[] => {
    const found: Json[] = [];
    for (const [place, shape] of [
      ['path', operation.params?.shape],
      ['query', operation.query?.shape],
    ] as const) {
      for (const [name, field] of Object.entries(shape ?? {})) {
        const { description, ...schema } = convert(field as z.ZodType, 'input');
        const required = place === 'path' || !(field as z.ZodType).safeParse(undefined).success;
        found.push({ name, in: place, required, ...(description ? { description } : {}), schema });
      }
    }
    if (operation.idempotent) {
      found.push({
        name: 'Idempotency-Key',
        in: 'header',
        required: false,
        description:
          'Send the same key with a retry: the work is done once and the first answer comes again.',
        schema: { type: 'string', minLength: 1, maxLength: limits.idempotency_key_chars },
      });
    }
    return found;
  };

  const responsesOf = (operation: Operation): Json => {
    const { success } = operation;
    const headers: Json = { 'X-Request-Id': header('Names this request in logs and reports.', 'string') };
    if (operation.access !== 'public') Object.assign(headers, rateLimitHeaders);
    if (operation.access === 'any_credential') {
      headers['X-OAuth-Scopes'] = header('The scopes of the credential, separated by commas.', 'string');
    }
    if (operation.idempotent) {
      headers['Idempotent-Replayed'] = header('true when the answer is a remembered one.', 'string');
    }
    if (success.status === 302)
      headers.Location = header('Where the content is, for a short time.', 'string');
    const responses: Json = {
      [success.status]: {
        description: { 200: 'Done', 201: 'Created', 204: 'Done, nothing to say', 302: 'Found elsewhere' }[
          success.status
        ],
        headers,
        ...('body' in success
          ? {
              content: {
                'application/json': { schema: convert(success.body, 'output'), example: success.example },
              },
            }
          : {}),
        ...('stream' in success ? { content: { [success.stream]: { schema: { type: 'string' } } } } : {}),
      },
    };
    const byStatus = Map.groupBy(errorsOf(operation), (code) => errors[code].status);
    for (const [status, codes] of byStatus) {
      responses[status] = {
        description: codes.map((code) => `\`${code}\`: ${errors[code].when}`).join('\n\n'),
        headers: {
          'X-Request-Id': headers['X-Request-Id'],
          ...(status === 401 ? { 'WWW-Authenticate': header('Bearer', 'string') } : {}),
          ...(status === 429 ? rateLimitHeaders : {}),
          ...(status === 429 || status === 503 || codes.includes('idempotency_in_progress')
            ? { 'Retry-After': header('Seconds to wait before trying again.') }
            : {}),
        },
        content: {
          'application/problem+json': {
            schema: convert(Problem, 'output'),
            examples: Object.fromEntries(codes.map((code) => [code, { value: problemExample(code) }])),
          },
        },
      };
    }
    return responses;
  };

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
        parameters: parametersOf(operation),
        ...(operation.body
          ? {
              requestBody: {
                required: true,
                content: {
                  'application/json': {
                    schema: convert(operation.body, 'input'),
                    ...(operation.body_example === undefined ? {} : { example: operation.body_example }),
                  },
                },
              },
            }
          : {}),
        ...(operation.upload ? { requestBody: uploadBody(operation.upload) } : {}),
        responses: responsesOf(operation),
      };
    }
  }

  const envelope = convert(EventEnvelope, 'output');
  const webhooks: Json = {};
  for (const [type, event] of Object.entries(events)) {
    webhooks[type] = {
      post: {
        operationId: `event.${type}`,
        summary: event.meaning,
        requestBody: {
          content: {
            'application/json': {
              schema: {
                allOf: [
                  envelope,
                  { properties: { type: { const: type }, data: convert(event.data, 'output') } },
                ],
              },
              example: {
                id: '019a8c1e-aaaa-7bbb-8ccc-0d1e2f304151',
                type,
                api_version: EventEnvelope.shape.api_version.value,
                created_at: '2026-06-06T12:00:00.000Z',
                organization_id: '00000000-0000-0000-0000-000000000000',
                data: event.example,
              },
            },
          },
        },
        responses: { '2XX': { description: 'Taken. Any other answer, or none in time, is tried again.' } },
      },
    };
  }

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
    paths,
    webhooks,
    components: {
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } },
      schemas: Object.fromEntries(Object.entries(schemas).sort(([a], [b]) => (a < b ? -1 : 1))),
    },
  };
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
