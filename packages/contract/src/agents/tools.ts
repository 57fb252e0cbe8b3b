// Tools: HTTP endpoints of an organization that its agents can call.
import { z } from 'zod';
import { limits } from '../limits.ts';
import { defineOperations } from '../operation.ts';
import { exceedsBytes, pageOf, pageQuery, Timestamp, Uuid } from '../schema/fields.ts';
import { JsonSchema } from '../schema/subset/schema-subset.ts';
import { AgentVariables, ToolApproval, ToolName, ToolSpeech, toolEffects } from './agent-fields.ts';

export const EndpointUrl = z
  .string()
  .min(1)
  .max(limits.webhook_url_chars)
  .describe('An https URL. Redirects are not followed.');

/** Set by the service, or meaningful only between two machines of the path (RFC 9110 section 7.6.1). */
const own_headers =
  /^(host|content-.*|connection|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade|expect|idempotency-key|x-service-.*|webhook-.*|mcp-.*|accept)$/i;
export const EndpointHeaders = z
  .record(
    z
      .string()
      .regex(/^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}$/, 'Expected the name of a header')
      .refine((name) => !own_headers.test(name), 'The service sets this header itself'),
    z
      .string()
      .min(1)
      .max(4096)
      .regex(/^[\x20-\x7e]+$/, 'Expected printable characters'),
  )
  .refine(
    (headers) => Object.keys(headers).length <= limits.tool_headers,
    `Expected at most ${limits.tool_headers} headers`,
  )
  .describe('Sent with each request. Stored encrypted and never returned; answers show the names.')
  .meta({ id: 'EndpointHeaders' });

const Description = z.string().trim().min(1).max(limits.tool_description_chars);
const Fixed = z
  .record(z.string().min(1).max(100), z.unknown())
  .refine(
    (fixed) => !exceedsBytes(JSON.stringify(fixed), limits.metadata_bytes),
    `Expected at most ${limits.metadata_bytes} bytes of JSON`,
  )
  .describe(
    'Arguments that you set, such as {"caller": "{{person}}"}. The model neither sees nor changes them.',
  );
const Redact = z
  .array(z.string().min(1).max(100))
  .max(50)
  .describe('Arguments that are not stored or published.');
const TimeoutMs = z.int().min(1000).max(60_000);

const fields = {
  id: Uuid,
  organization_id: Uuid,
  type: z.literal('http'),
  name: z.string(),
  description: z.string(),
  parameters: JsonSchema,
  fixed: z.record(z.string(), z.unknown()),
  url: z.string(),
  header_names: z.array(z.string()),
  effect: z.enum(toolEffects),
  timeout_ms: z.int(),
  speech: ToolSpeech.nullable(),
  redact: z.array(z.string()),
  approval: ToolApproval,
  previous_secret_expires_at: Timestamp.nullable().describe('Until then both secrets sign.'),
  secret: z
    .string()
    .optional()
    .describe('Verifies the requests. Only in the answers of create and rotate-secret.'),
  created_at: Timestamp,
  updated_at: Timestamp,
};
export const Tool = z.strictObject(fields).meta({ id: 'Tool' });
export type Tool = Omit<z.infer<typeof Tool>, 'speech' | 'secret'> & { speech: ToolSpeech | null };
export type ToolWithSecret = Tool & { secret: string };

export const ToolCreate = z
  .strictObject({
    type: z.literal('http').optional(),
    name: ToolName.describe('What the model calls; unique in the organization.'),
    description: Description.describe('Tells the model what the tool does and when to use it.'),
    parameters: JsonSchema,
    fixed: Fixed.optional(),
    url: EndpointUrl,
    headers: EndpointHeaders.optional(),
    effect: z
      .enum(toolEffects)
      .optional()
      .describe('read: may run while the agent speaks. act (default): runs after its words were heard.'),
    timeout_ms: TimeoutMs.optional().describe('Default: 8000. On a call at most 20000.'),
    speech: ToolSpeech.nullish(),
    redact: Redact.optional(),
    approval: ToolApproval.optional(),
  })
  .meta({ id: 'ToolCreate' });
export type ToolCreate = z.output<typeof ToolCreate>;

export const ToolPatch = z
  .strictObject({
    name: ToolName.optional(),
    description: Description.optional(),
    parameters: JsonSchema.optional(),
    fixed: Fixed.optional(),
    url: EndpointUrl.optional(),
    headers: EndpointHeaders.optional().describe('Replaces all headers.'),
    effect: z.enum(toolEffects).optional(),
    timeout_ms: TimeoutMs.optional(),
    speech: ToolSpeech.nullish(),
    redact: Redact.optional(),
    approval: ToolApproval.optional(),
  })
  .describe('Fields that are left out keep their value. A new url without headers removes the headers.')
  .meta({ id: 'ToolPatch' });
export type ToolPatch = z.output<typeof ToolPatch>;

export const ToolTest = z
  .strictObject({
    arguments: z.record(z.string(), z.unknown()).optional(),
    variables: AgentVariables.optional(),
  })
  .meta({ id: 'ToolTest' });
export type ToolTest = z.output<typeof ToolTest>;

export const ToolTestResult = z
  .strictObject({
    outcome: z.enum(['done', 'failed']),
    content: z.string().nullable().describe('What the model would get.'),
    say: z.string().nullable(),
    instruct: z.string().nullable(),
    error: z.string().nullable(),
    detail: z.string().nullable(),
    duration_ms: z.int(),
  })
  .meta({ id: 'ToolTestResult' });
export type ToolTestResult = z.infer<typeof ToolTestResult>;

const example: Tool = {
  id: '019a8c1e-1a2b-7c3d-8e4f-5a6b7c8d9e10',
  organization_id: '00000000-0000-0000-0000-000000000000',
  type: 'http',
  name: 'check_slots',
  description: 'Free appointment slots on a day.',
  parameters: {
    type: 'object',
    properties: { day: { type: 'string', format: 'date' } },
    required: ['day'],
  },
  fixed: { caller: '{{person}}' },
  url: 'https://api.example.com/slots',
  header_names: ['X-Key'],
  effect: 'read',
  timeout_ms: 8000,
  speech: null,
  redact: [],
  approval: 'none',
  previous_secret_expires_at: null,
  created_at: '2026-06-06T12:00:00.000Z',
  updated_at: '2026-06-06T12:00:00.000Z',
};
const with_secret = { ...example, secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw0d0w0n2fZ4c=' };
const one = { params: z.strictObject({ tool_id: Uuid }) };
const errors = ['target_not_allowed', 'schema_not_supported', 'tool_name_taken'] as const;

export const tools = defineOperations('tools', 'HTTP endpoints that your agents can call.', {
  create: {
    method: 'POST',
    path: '/v1/tools',
    summary: 'Add a tool',
    description: 'Requests to the url are signed with the returned secret, like webhooks.',
    body: ToolCreate,
    body_example: {
      name: example.name,
      description: example.description,
      parameters: example.parameters,
      url: example.url,
      effect: 'read',
    },
    success: { status: 201, body: Tool, example: with_secret },
    errors: [...errors, 'too_many_tools'],
  },
  list: {
    method: 'GET',
    path: '/v1/tools',
    summary: 'List tools, newest first',
    query: z.strictObject(pageQuery),
    success: {
      status: 200,
      body: pageOf(Tool, 'ToolPage'),
      example: { items: [example], next_cursor: null },
    },
  },
  get: {
    method: 'GET',
    path: '/v1/tools/{tool_id}',
    summary: 'Read one tool',
    ...one,
    success: { status: 200, body: Tool, example },
  },
  update: {
    method: 'PATCH',
    path: '/v1/tools/{tool_id}',
    summary: 'Change a tool',
    ...one,
    body: ToolPatch,
    body_example: { timeout_ms: 5000 },
    success: { status: 200, body: Tool, example },
    errors,
  },
  delete: {
    method: 'DELETE',
    path: '/v1/tools/{tool_id}',
    summary: 'Remove a tool',
    description: 'Agents that list it go on without it.',
    ...one,
    success: { status: 204 },
  },
  test: {
    method: 'POST',
    path: '/v1/tools/{tool_id}/test',
    summary: 'Call a tool once',
    description: 'Sends one real request, with "is_test": true.',
    ...one,
    body: ToolTest,
    body_example: { arguments: { day: '2026-06-08' } },
    success: {
      status: 200,
      body: ToolTestResult,
      example: {
        outcome: 'done',
        content: '["09:00","11:30"]',
        say: null,
        instruct: null,
        error: null,
        detail: null,
        duration_ms: 120,
      },
    },
    errors: ['variable_missing'],
  },
  rotate_secret: {
    method: 'POST',
    path: '/v1/tools/{tool_id}/rotate-secret',
    summary: 'Replace the secret of a tool',
    description: 'For 24 hours requests are signed with both secrets.',
    ...one,
    success: { status: 200, body: Tool, example: with_secret },
  },
});
