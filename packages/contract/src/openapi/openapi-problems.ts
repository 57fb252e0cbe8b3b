// Error responses of the OpenAPI document: each kind is described once in `components` and referenced by operations. What a
// code means is said once, at the field `code` of a problem.
import { z } from 'zod';
import { type ErrorCode, errors, problemCodes } from '../errors.ts';
import { errorsOf, type Operation } from '../operation.ts';
import type { Json, SchemaCollection } from '../schema/json-schema.ts';

export const Problem = z
  .object({
    type: z.string().describe('The kind of problem, as a URN.'),
    title: z.string(),
    status: z.number().int(),
    detail: z.string().describe('Details of this occurrence.'),
    code: z.enum(Object.keys(errors) as [ErrorCode, ...ErrorCode[]]).describe('The stable error code.'),
    fix: z.string().describe('What you can do next.'),
    request_id: z.string(),
    object_id: z
      .string()
      .optional()
      .describe(
        'The record that was stored although the request failed, such as an email that was not sent.',
      ),
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

const header = (description: string, type: 'string' | 'integer' = 'integer') => ({
  description,
  schema: { type },
});

/** Without X-Request-Id and RateLimit-*: every response has them, and the description of the document says so once. */
export const headers = {
  'X-OAuth-Scopes': header('The scopes of the credential, separated by commas.', 'string'),
  'Idempotent-Replayed': header('true when the response is a stored one.', 'string'),
  Location: header('A temporary URL of the content.', 'string'),
  'WWW-Authenticate': header('Bearer', 'string'),
  'Retry-After': header('Seconds to wait before trying again.'),
};

export const headerReferences = (names: readonly (keyof typeof headers)[]): Json =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));

/**
 * Codes that have the same cause at every operation. They are one response, `default`: repeated at every operation they would be a
 * tenth of the document.
 */
export const common_codes: readonly ErrorCode[] = [
  // Every operation refuses unknown parameters, and every id in a path may be unknown.
  'validation_failed',
  'not_found',
  'malformed_json',
  'unauthenticated',
  'user_not_provisioned',
  'organization_not_named',
  'insufficient_scope',
  'payload_too_large',
  'unsupported_media_type',
  'rate_limited',
  'internal_error',
  'shutting_down',
  'database_unavailable',
  'issuer_unavailable',
  'storage_full',
  'storage_unavailable',
];

/** A response with more codes of its own is named after the first operation that has it. */
const most_named_codes = 3;

export type ProblemCollection = {
  /** One response per status, with the operation's own error codes of this status, and `default` for the common codes. */
  responsesOf(id: string, operation: Operation): Json;
  /** The responses referenced so far, for `components`. */
  components(): { responses: Json };
  /** The schema of a problem, with the meaning of every code. */
  describe(problem: Json): Json;
};

export function problemCollection(schemas: SchemaCollection): ProblemCollection {
  const shared: Json = {};
  const names = new Map<string, string>();
  const used = new Set<ErrorCode>(common_codes);
  return {
    responsesOf(id, operation) {
      const responses: Json = {};
      const own_codes = errorsOf(operation).filter((code) => !common_codes.includes(code));
      for (const [status, codes] of Map.groupBy(own_codes, (code) => errors[code].status)) {
        for (const code of codes) used.add(code);
        const key = codes.join();
        if (!names.has(key)) {
          const name = nameOf(codes) ?? `${id}.${status}`;
          names.set(key, name);
          shared[name] = responseOf(status, codes, schemas);
        }
        responses[status] = { $ref: `#/components/responses/${names.get(key)}` };
      }
      responses.default = { $ref: '#/components/responses/common' };
      return responses;
    },
    components: () => ({
      responses: sorted({ ...shared, common: responseOf(null, common_codes, schemas) }),
    }),
    describe: (problem) => describedProblem(problem, [...used]),
  };
}

function responseOf(status: number | null, codes: readonly ErrorCode[], schemas: SchemaCollection): Json {
  const retryLater =
    status === null || status === 429 || status === 503 || codes.includes('idempotency_in_progress');
  const names = [
    ...(status === null ? (['WWW-Authenticate'] as const) : []),
    ...(retryLater ? (['Retry-After'] as const) : []),
  ];
  return {
    description: descriptionOf(codes),
    ...(names.length > 0 ? { headers: headerReferences(names) } : {}),
    content: {
      'application/problem+json': {
        schema: schemas.convert(Problem, 'output'),
      },
    },
  };
}

const nameOf = (codes: readonly ErrorCode[]): string | null =>
  codes.length <= most_named_codes ? codes.join('.') : null;

/** The schema of a problem says what each code means. */
const descriptionOf = (codes: readonly ErrorCode[]): string => codes.map((code) => `\`${code}\``).join(', ');

function exampleOf(code: ErrorCode): Json {
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

/** `x-enum-descriptions` is the name that generators of reference pages know for texts beside the values of an enum. */
function describedProblem(problem: Json, codes: readonly ErrorCode[]): Json {
  const properties = problem.properties as Record<string, Json>;
  // Without `fix`: every response has it.
  const texts = codes.map((code) => [code, `${errors[code].status}: ${errors[code].when}`]);
  const code = { ...properties.code, 'x-enum-descriptions': sorted(Object.fromEntries(texts)) };
  return { ...problem, properties: { ...properties, code }, examples: [exampleOf('validation_failed')] };
}

const sorted = (entries: Json): Json =>
  Object.fromEntries(Object.entries(entries).sort(([a], [b]) => (a < b ? -1 : 1)));
