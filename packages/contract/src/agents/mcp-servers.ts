// MCP servers: servers of an organization with the Model Context Protocol, whose tools its agents can use.
import { z } from 'zod';
import { limits } from '../limits.ts';
import { defineOperations } from '../operation.ts';
import { pageOf, pageQuery, Timestamp, Uuid } from '../schema/fields.ts';
import { ToolApproval, toolEffects } from './agent-fields.ts';
import { EndpointHeaders, EndpointUrl } from './tools.ts';

export const mcpToolStates = ['allowed', 'not_allowed', 'changed', 'gone', 'not_supported'] as const;
export type McpToolState = (typeof mcpToolStates)[number];

const Name = z
  .string()
  .regex(/^[a-z][a-z0-9_]{0,31}$/, 'Expected lower-case letters, digits and _, such as crm')
  .describe('The model sees each tool as <name>__<tool>.');
const DefinitionHash = z.string().regex(/^[0-9a-f]{64}$/, 'Expected a SHA-256 as 64 hexadecimal digits');
const Allow = z
  .array(
    z.strictObject({
      name: z.string().min(1).max(128),
      effect: z.enum(toolEffects).optional().describe('Default: act.'),
      approval: ToolApproval.optional(),
      definition_hash: DefinitionHash.optional().describe(
        'From tools, of the tool as you have seen it. If it is not the same any more, its state is changed and agents cannot use it. Default: the tool as it is now.',
      ),
    }),
  )
  .max(limits.agent_tool_names)
  .refine(
    (list) => new Set(list.map(({ name }) => name)).size === list.length,
    'Each tool can be listed once',
  )
  .describe(
    'The tools that agents may use, as they are described now. A later change of a description takes the tool out.',
  );
const TimeoutMs = z.int().min(1000).max(60_000);

export const McpServer = z
  .strictObject({
    id: Uuid,
    organization_id: Uuid,
    name: z.string(),
    url: z.string(),
    header_names: z.array(z.string()),
    allow: z.array(z.strictObject({ name: z.string(), effect: z.enum(toolEffects), approval: ToolApproval })),
    timeout_ms: z.int(),
    tools: z
      .array(
        z.strictObject({
          name: z.string(),
          description: z.string(),
          input_schema: z.record(z.string(), z.unknown()),
          definition_hash: z
            .string()
            .nullable()
            .describe('Of name, description and input_schema; null for a tool that is gone.'),
          state: z.enum(mcpToolStates),
        }),
      )
      .describe('changed: send allow again to accept the new description.'),
    status: z
      .enum(['pending', 'ready', 'failed'])
      .describe('Whether the last request for the tools succeeded.'),
    checked_at: Timestamp.nullable(),
    error: z.string().nullable(),
    created_at: Timestamp,
    updated_at: Timestamp,
  })
  .meta({ id: 'McpServer' });
export type McpServer = z.infer<typeof McpServer>;

export const McpServerCreate = z
  .strictObject({
    name: Name,
    url: EndpointUrl,
    headers: EndpointHeaders.optional(),
    allow: Allow.optional(),
    timeout_ms: TimeoutMs.optional().describe('Default: 8000. On a call at most 20000.'),
  })
  .meta({ id: 'McpServerCreate' });
export type McpServerCreate = z.output<typeof McpServerCreate>;

export const McpServerPatch = z
  .strictObject({
    name: Name.optional(),
    url: EndpointUrl.optional(),
    headers: EndpointHeaders.optional(),
    allow: Allow.optional(),
    timeout_ms: TimeoutMs.optional(),
  })
  .describe('Fields that are left out keep their value. A url of another origin removes headers and allow.')
  .meta({ id: 'McpServerPatch' });
export type McpServerPatch = z.output<typeof McpServerPatch>;

const example: McpServer = {
  id: '019a8c1e-1a2b-7c3d-8e4f-5a6b7c8d9e11',
  organization_id: '00000000-0000-0000-0000-000000000000',
  name: 'crm',
  url: 'https://mcp.example.com/mcp',
  header_names: ['Authorization'],
  allow: [{ name: 'get_order', effect: 'read', approval: 'none' }],
  timeout_ms: 8000,
  tools: [
    {
      name: 'get_order',
      description: 'Reads an order.',
      input_schema: { type: 'object' },
      definition_hash: 'd4d9e0b1a0f0d8f3c2a4b6e8907f5c3d1e2f4a6b8c0d2e4f6a8b0c2d4e6f8a0b',
      state: 'allowed',
    },
  ],
  status: 'ready',
  checked_at: '2026-06-06T12:00:00.000Z',
  error: null,
  created_at: '2026-06-06T12:00:00.000Z',
  updated_at: '2026-06-06T12:00:00.000Z',
};
const one = { params: z.strictObject({ server_id: Uuid }) };
const errors = ['target_not_allowed', 'tool_name_taken'] as const;
const success = { status: 200, body: McpServer, example } as const;

export const mcpServers = defineOperations('mcp_servers', 'MCP servers whose tools your agents can use.', {
  create: {
    method: 'POST',
    path: '/v1/mcp-servers',
    summary: 'Add an MCP server',
    description:
      'Asks the server for its tools. status is failed when it does not answer; it is asked again later.',
    body: McpServerCreate,
    body_example: {
      name: 'crm',
      url: 'https://mcp.example.com/mcp',
      headers: { Authorization: 'Bearer a-token' },
      allow: [{ name: 'get_order', effect: 'read' }],
    },
    success: { status: 201, body: McpServer, example },
    errors: [...errors, 'too_many_tools'],
  },
  list: {
    method: 'GET',
    path: '/v1/mcp-servers',
    summary: 'List MCP servers, newest first',
    query: z.strictObject(pageQuery),
    success: {
      status: 200,
      body: pageOf(McpServer, 'McpServerPage'),
      example: { items: [example], next_cursor: null },
    },
  },
  get: {
    method: 'GET',
    path: '/v1/mcp-servers/{server_id}',
    summary: 'Read one MCP server',
    ...one,
    success,
  },
  update: {
    method: 'PATCH',
    path: '/v1/mcp-servers/{server_id}',
    summary: 'Change an MCP server',
    ...one,
    body: McpServerPatch,
    body_example: { allow: [{ name: 'get_order', effect: 'read' }] },
    success,
    errors,
  },
  delete: {
    method: 'DELETE',
    path: '/v1/mcp-servers/{server_id}',
    summary: 'Remove an MCP server',
    description: 'Agents that list it go on without it.',
    ...one,
    success: { status: 204 },
  },
  refresh: {
    method: 'POST',
    path: '/v1/mcp-servers/{server_id}/refresh',
    summary: 'Ask an MCP server for its tools again',
    ...one,
    success,
  },
});
