// The short way for what agents do all day: one tool call or one look at the list, answered without building anything.
// Whatever is not exactly that is left to the protocol's library, which knows every other case.
import type { IncomingHttpHeaders } from 'node:http';
import { classifyInboundRequest, SUPPORTED_PROTOCOL_VERSIONS } from '@modelcontextprotocol/server';
import { list_ttl_ms, needsConsent, server_info } from './protocol.ts';
import type { ToolResult } from './result.ts';
import type { CompiledTool, ToolSet } from './tool-set.ts';

type Id = string | number;
export type PlainRequest =
  | { kind: 'list'; id: Id; is_modern: boolean }
  | { kind: 'call'; id: Id; is_modern: boolean; tool: CompiledTool; given: unknown };

type Message = { jsonrpc?: unknown; id?: unknown; method?: unknown; params?: Record<string, unknown> };

const modern_version = '2026-07-28';
const claim_key = 'io.modelcontextprotocol/protocolVersion';
const identity = { 'io.modelcontextprotocol/serverInfo': server_info };

export function plainRequest(
  headers: IncomingHttpHeaders,
  body: unknown,
  tools: ToolSet,
): PlainRequest | null {
  const message = body as Message;
  if (typeof body !== 'object' || body === null || message.jsonrpc !== '2.0') return null;
  const { id, method } = message;
  if (typeof id !== 'string' && typeof id !== 'number') return null;
  if (method !== 'tools/call' && method !== 'tools/list') return null;
  const params = message.params ?? {};
  if (typeof params !== 'object' || Array.isArray(params)) return null;
  const accept = headers.accept ?? '';
  if (!accept.includes('application/json') || !accept.includes('text/event-stream')) return null;
  if (!headers['content-type']?.startsWith('application/json')) return null;
  const is_modern = eraOf(headers, message, params);
  if (is_modern === null) return null;
  if (method === 'tools/list') return params.cursor === undefined ? { kind: 'list', id, is_modern } : null;
  if (params.inputResponses !== undefined || params.requestState !== undefined || params.task !== undefined)
    return null;
  const tool = typeof params.name === 'string' ? tools.byName.get(params.name) : undefined;
  if (!tool || tool.call.waits_for || needsConsent(tool, params.arguments)) return null;
  return { kind: 'call', id, is_modern, tool, given: params.arguments };
}

/** Null when the request is anything but flawless. */
function eraOf(
  headers: IncomingHttpHeaders,
  message: Message,
  params: Record<string, unknown>,
): boolean | null {
  const version = headers['mcp-protocol-version'];
  const meta = params._meta as Record<string, unknown> | undefined;
  if (meta?.[claim_key] === undefined) {
    return version === undefined ||
      (typeof version === 'string' && SUPPORTED_PROTOCOL_VERSIONS.includes(version))
      ? false
      : null;
  }
  if (version !== modern_version || headers['mcp-method'] !== message.method) return null;
  if (message.method === 'tools/call' && headers['mcp-name'] !== params.name) return null;
  const verdict = classifyInboundRequest({
    httpMethod: 'POST',
    protocolVersionHeader: version,
    mcpMethodHeader: headers['mcp-method'] as string,
    body: message,
  });
  return verdict.kind === 'modern' ? true : null;
}

export function callAnswer({ id, is_modern }: PlainRequest, result: ToolResult): string {
  return JSON.stringify({
    jsonrpc: '2.0',
    id,
    result: is_modern ? { ...result, resultType: 'complete', _meta: identity } : result,
  });
}

/** The list is written once; only the id differs. */
export function listAnswers(tools: ToolSet): (request: PlainRequest) => string {
  const plain = JSON.stringify({ tools: tools.definitions });
  const modern = JSON.stringify({
    tools: tools.definitions,
    resultType: 'complete',
    ttlMs: list_ttl_ms,
    cacheScope: 'private',
    _meta: identity,
  });
  return ({ id, is_modern }) =>
    `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${is_modern ? modern : plain}}`;
}
