// Optional fast path for the two most frequent requests: one tool call and the list of tools. It returns the same result as
// the protocol library without creating a protocol server per request. Every other request is left to the library.
import type { IncomingHttpHeaders } from 'node:http';
import { classifyInboundRequest, SUPPORTED_PROTOCOL_VERSIONS } from '@modelcontextprotocol/server';
import { list_ttl_ms, needsConsent, server_info } from './protocol.ts';
import type { ToolResult } from './result.ts';
import type { RunTool } from './run-tool.ts';
import type { CompiledTool, ToolSet } from './tool-set.ts';
import { type TraceHeaders, traceOf } from './trace.ts';

/** Returns the JSON text of the response, or null if the protocol library must handle the request. */
export type FastPath = (request: {
  headers: IncomingHttpHeaders;
  body: unknown;
  credential: string;
  /** Aborts when the client disconnects. */
  signal: AbortSignal;
}) => Promise<string | null>;

/** Used when the fast path is switched off. */
export const noFastPath: FastPath = async () => null;

export function fastPath(deps: { tools: ToolSet; runTool: RunTool }): FastPath {
  const listResponse = listResponses(deps.tools);
  return async ({ headers, body, credential, signal }) => {
    const request = simpleRequest(headers, body, deps.tools);
    if (request === null) return null;
    if (request.kind === 'list') return listResponse(request);
    const { tool, input, trace } = request;
    return callResponse(request, await deps.runTool(tool, input, { credential, signal, trace }));
  };
}

type Id = string | number;
/** `is_modern`: protocol 2026-07-28, whose results have additional fields. */
type SimpleRequest =
  | { kind: 'list'; id: Id; is_modern: boolean }
  | { kind: 'call'; id: Id; is_modern: boolean; tool: CompiledTool; input: unknown; trace: TraceHeaders };

type Message = { jsonrpc?: unknown; id?: unknown; method?: unknown; params?: Record<string, unknown> };

const modern_version = '2026-07-28';
const version_key = 'io.modelcontextprotocol/protocolVersion';
const identity = { 'io.modelcontextprotocol/serverInfo': server_info };

/** Null if the request is malformed, or needs a feature of the protocol beyond a single result. */
function simpleRequest(headers: IncomingHttpHeaders, body: unknown, tools: ToolSet): SimpleRequest | null {
  const message = body as Message;
  if (typeof body !== 'object' || body === null || message.jsonrpc !== '2.0') return null;
  const { id, method } = message;
  if (typeof id !== 'string' && typeof id !== 'number') return null;
  if (method !== 'tools/call' && method !== 'tools/list') return null;
  const params = message.params ?? {};
  if (typeof params !== 'object' || Array.isArray(params)) return null;
  if (!hasJsonHeaders(headers)) return null;
  const is_modern = isModern(headers, message, params);
  if (is_modern === null) return null;
  if (method === 'tools/list') return params.cursor === undefined ? { kind: 'list', id, is_modern } : null;
  if (params.inputResponses !== undefined || params.requestState !== undefined || params.task !== undefined)
    return null;
  const tool = typeof params.name === 'string' ? tools.byName.get(params.name) : undefined;
  if (!tool || tool.call.waits_for || needsConsent(tool, params.arguments)) return null;
  const trace = traceOf((name) => headers[name], params._meta);
  return { kind: 'call', id, is_modern, tool, input: params.arguments, trace };
}

function hasJsonHeaders(headers: IncomingHttpHeaders): boolean {
  const accept = headers.accept ?? '';
  return (
    accept.includes('application/json') &&
    accept.includes('text/event-stream') &&
    headers['content-type']?.startsWith('application/json') === true
  );
}

/** Null if the headers contradict the message or the version is unknown. */
function isModern(
  headers: IncomingHttpHeaders,
  message: Message,
  params: Record<string, unknown>,
): boolean | null {
  const version = headers['mcp-protocol-version'];
  const meta = params._meta as Record<string, unknown> | undefined;
  if (meta?.[version_key] === undefined) {
    const is_supported =
      version === undefined || (typeof version === 'string' && SUPPORTED_PROTOCOL_VERSIONS.includes(version));
    return is_supported ? false : null;
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

/** The members are in the order of the protocol library, so that responses have the same bytes. */
const responseText = (id: Id, result: string) =>
  `{"result":${result},"jsonrpc":"2.0","id":${JSON.stringify(id)}}`;

function callResponse({ id, is_modern }: SimpleRequest, result: ToolResult): string {
  const complete = is_modern ? { ...result, resultType: 'complete', _meta: identity } : result;
  return responseText(id, JSON.stringify(complete));
}

/** The list is serialized once; only the id differs between responses. */
function listResponses(tools: ToolSet): (request: SimpleRequest) => string {
  const legacy = JSON.stringify({ tools: tools.definitions });
  const modern = JSON.stringify({
    tools: tools.definitions,
    resultType: 'complete',
    ttlMs: list_ttl_ms,
    cacheScope: 'private',
    _meta: identity,
  });
  return ({ id, is_modern }) => responseText(id, is_modern ? modern : legacy);
}
