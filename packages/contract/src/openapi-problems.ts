// Error responses of the OpenAPI document: each kind is described once in `components` and referenced by operations.
import { z } from 'zod';
import { type ErrorCode, errors, problemCodes } from './errors.ts';
import type { Json, SchemaCollection } from './json-schema.ts';
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

/** Codes that most operations share; their response has a short name. */
const common = {
  forbidden: ['user_not_provisioned', 'organization_not_named', 'insufficient_scope'],
  unavailable: ['shutting_down', 'database_unavailable', 'issuer_unavailable'],
} as const satisfies Record<string, readonly ErrorCode[]>;

const commonCodes: readonly ErrorCode[] = Object.values(common).flat();

/** A response with more codes of its own is named after the first operation that has it. */
const most_named_codes = 3;

export type ProblemCollection = {
  /** One response per status, with all error codes of the operation that have this status. */
  responsesOf(id: string, operation: Operation): Json;
  /** The responses and examples referenced so far, for `components`. */
  components(): { responses: Json; examples: Json };
};

export function problemCollection(schemas: SchemaCollection): ProblemCollection {
  const shared: Json = {};
  const names = new Map<string, string>();
  const used = new Set<ErrorCode>();
  return {
    responsesOf(id, operation) {
      const responses: Json = {};
      for (const [status, codes] of Map.groupBy(errorsOf(operation), (code) => errors[code].status)) {
        for (const code of codes) used.add(code);
        const key = codes.join();
        if (!names.has(key)) {
          const name = nameOf(codes) ?? `${id}.${status}`;
          names.set(key, name);
          shared[name] = responseOf(status, codes, schemas);
        }
        responses[status] = { $ref: `#/components/responses/${names.get(key)}` };
      }
      return responses;
    },
    components: () => ({
      responses: sorted(shared),
      examples: sorted(Object.fromEntries([...used].map((code) => [code, { value: exampleOf(code) }]))),
    }),
  };
}

function responseOf(status: number, codes: ErrorCode[], schemas: SchemaCollection): Json {
  const retryLater = status === 429 || status === 503 || codes.includes('idempotency_in_progress');
  const names = [
    ...(status === 401 ? (['WWW-Authenticate'] as const) : []),
    ...(retryLater ? (['Retry-After'] as const) : []),
  ];
  return {
    description: descriptionOf(codes),
    ...(names.length > 0 ? { headers: headerReferences(names) } : {}),
    content: {
      'application/problem+json': {
        schema: schemas.convert(Problem, 'output'),
        examples: Object.fromEntries(codes.map((code) => [code, { $ref: `#/components/examples/${code}` }])),
      },
    },
  };
}

/** The names of its codes, where those that most operations share count as one. */
function nameOf(codes: readonly ErrorCode[]): string | null {
  const group = Object.entries(common).find(([, same]) => same.every((code) => codes.includes(code)));
  const names = group ? [group[0], ...codes.filter((code) => !commonCodes.includes(code))] : codes;
  return names.length <= most_named_codes ? names.join('.') : null;
}

/** Beside other codes, those that most operations share are only named: their own response explains them. */
function descriptionOf(codes: readonly ErrorCode[]): string {
  const own = codes.filter((code) => !commonCodes.includes(code));
  const explained = own.length > 0 ? own : codes;
  const named = codes.filter((code) => !explained.includes(code));
  return [
    ...explained.map((code) => `\`${code}\`: ${errors[code].when}`),
    ...(named.length > 0 ? [`Also ${named.map((code) => `\`${code}\``).join(', ')}.`] : []),
  ].join('\n\n');
}

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

const sorted = (entries: Json): Json =>
  Object.fromEntries(Object.entries(entries).sort(([a], [b]) => (a < b ? -1 : 1)));
