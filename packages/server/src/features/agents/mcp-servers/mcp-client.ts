// Speaks the Model Context Protocol: asks a server for its tools, and calls one of them with one request.

import type { CallToolResult, Client, PriorDiscovery } from '@modelcontextprotocol/client';
import { limits } from '@parley/contract/limits';
import { version } from '@parley/contract/version';
import type { Dispatcher } from 'undici';
import { type FetchLike, guardedFetch } from './guarded-fetch.ts';
import type { McpToolDefinition } from './tool-list.ts';

export type McpTarget = { url: string; headers: Record<string, string>; dispatcher: Dispatcher };

export type McpListing = {
  tools: McpToolDefinition[];
  /** How the server wants to be spoken to, so that a call of a tool needs no request before it. */
  discovery: PriorDiscovery;
  /** How long the server says its list stays valid. */
  ttl_ms: number | null;
};

const max_list_bytes = 4 * 1024 * 1024;
const max_call_bytes = 256 * 1024;

/** Tools beyond the limit are left out, and texts are cut: the server decides how much it sends. */
export async function listTools(target: McpTarget, timeout_ms: number): Promise<McpListing> {
  const client = await connect(target, guardedFetch(target.dispatcher, max_list_bytes), timeout_ms, null);
  try {
    const options = { timeout: timeout_ms, signal: AbortSignal.timeout(timeout_ms) };
    const listed = await client.listTools(undefined, options);
    const discover = client.getDiscoverResult();
    const ttl_ms = (listed as { ttlMs?: unknown }).ttlMs;
    return {
      tools: listed.tools.slice(0, limits.mcp_server_tools).map(({ name, description, inputSchema }) => ({
        name: name.slice(0, 200),
        description: (description ?? '').slice(0, limits.tool_description_chars),
        input_schema: inputSchema as Record<string, unknown>,
      })),
      discovery: discover ? { kind: 'modern', discover } : { kind: 'legacy' },
      ttl_ms: typeof ttl_ms === 'number' ? ttl_ms : null,
    };
  } finally {
    await close(client);
  }
}

export async function callTool(
  target: McpTarget,
  discovery: PriorDiscovery | null,
  call: {
    tool: McpToolDefinition;
    arguments: Record<string, unknown>;
    timeout_ms: number;
    signal: AbortSignal;
  },
): Promise<CallToolResult> {
  const { tool, timeout_ms, signal } = call;
  const fetch = guardedFetch(target.dispatcher, max_call_bytes);
  const client = await connect(target, fetch, timeout_ms, discovery, signal);
  try {
    return (await client.callTool(
      { name: tool.name, arguments: call.arguments },
      {
        timeout: timeout_ms,
        signal,
        // Nobody on a phone can fill a form, so the runtime reports it as a failure.
        allowInputRequired: true,
        toolDefinition: { name: tool.name, inputSchema: tool.input_schema as { type: 'object' } },
      },
    )) as CallToolResult;
  } finally {
    await close(client);
  }
}

/** With a discovery of a modern server this makes no request. */
async function connect(
  { url, headers }: McpTarget,
  fetch: FetchLike,
  timeout_ms: number,
  prior: PriorDiscovery | null,
  signal: AbortSignal = AbortSignal.timeout(timeout_ms),
): Promise<Client> {
  // Loaded when the first server is used: most installations have none.
  const library = await import('@modelcontextprotocol/client');
  const client = new library.Client(
    { name: 'parley', version },
    {
      capabilities: {},
      versionNegotiation: { mode: 'auto' },
      inputRequired: { autoFulfill: false },
      listMaxPages: 10,
      // Schemas of results come from the server. Compiling them would run code that a stranger influences.
      jsonSchemaValidator: {
        getValidator: () => (data) => ({ valid: true, data: data as never, errorMessage: undefined }),
      },
    },
  );
  const transport = new library.StreamableHTTPClientTransport(new URL(url), {
    fetch,
    requestInit: { headers },
    // One attempt: a stream that breaks is a failure of the call.
    reconnectionOptions: {
      maxRetries: 0,
      initialReconnectionDelay: 1000,
      maxReconnectionDelay: 1000,
      reconnectionDelayGrowFactor: 1,
    },
    onInsufficientScope: 'throw',
  });
  await client.connect(transport, { timeout: timeout_ms, signal, ...(prior && { prior }) });
  return client;
}

/** The answer is complete, so a failure to close does not matter. */
const close = (client: Client): Promise<void> => client.close().catch(() => {});
