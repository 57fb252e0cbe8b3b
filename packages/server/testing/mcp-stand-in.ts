// An MCP server for tests, written from the specification: modern (2026-07-28) or legacy, with tools that the test changes.
import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { standIn } from './stand-in.ts';

export type StandInTool = { name: string; description: string; inputSchema: Record<string, unknown> };
type Rpc = { id?: number | string; method: string; params?: Record<string, unknown> };
export type McpRequest = { headers: IncomingHttpHeaders; rpc: Rpc };

/** A result, a JSON-RPC error, or null to leave the request without an answer. */
export type CallAnswer = { result: object } | { error: { code: number; message: string } } | null;

const modern = '2026-07-28';

export async function mcpStandIn(options: { era?: 'modern' | 'legacy'; token?: string } = {}) {
  const { era = 'modern', token } = options;
  const requests: McpRequest[] = [];
  const state = {
    tools: [] as StandInTool[],
    ttl_ms: undefined as number | undefined,
    as_stream: false,
    call: (_name: string, _input: unknown): CallAnswer => ({
      result: { resultType: 'complete', content: [{ type: 'text', text: 'ok' }] },
    }),
  };

  const answerTo = (rpc: Rpc): CallAnswer => {
    switch (rpc.method) {
      case 'server/discover':
        return era === 'modern'
          ? {
              result: {
                resultType: 'complete',
                supportedVersions: [modern],
                capabilities: { tools: {} },
                ttlMs: 0,
                cacheScope: 'private',
              },
            }
          : { error: { code: -32601, message: 'Method not found' } };
      case 'initialize':
        return {
          result: {
            protocolVersion: rpc.params?.protocolVersion,
            capabilities: { tools: {} },
            serverInfo: { name: 'old', version: '1' },
          },
        };
      case 'tools/list': {
        const caching =
          era === 'modern' ? { resultType: 'complete', ttlMs: state.ttl_ms ?? 0, cacheScope: 'private' } : {};
        return { result: { tools: state.tools, ...caching } };
      }
      case 'tools/call': {
        const { name, arguments: input } = rpc.params as { name: string; arguments: unknown };
        return state.call(name, input);
      }
      default:
        return { error: { code: -32601, message: 'Method not found' } };
    }
  };

  const send = (response: ServerResponse, rpc: Rpc, answer: CallAnswer) => {
    if (answer === null) return;
    const message = JSON.stringify({ jsonrpc: '2.0', id: rpc.id, ...answer });
    const type = state.as_stream ? 'text/event-stream' : 'application/json';
    const body = state.as_stream ? `event: message\ndata: ${message}\n\n` : message;
    response.writeHead(200, { 'content-type': type }).end(body);
  };

  const { url } = await standIn(({ request, body }, response) => {
    if (request.method !== 'POST') return void response.writeHead(405).end();
    const rpc = JSON.parse(body.toString()) as Rpc;
    requests.push({ headers: request.headers, rpc });
    if (token !== undefined && request.headers.authorization !== `Bearer ${token}`)
      return void response.writeHead(401).end();
    if (rpc.id === undefined) return void response.writeHead(202).end();
    send(response, rpc, answerTo(rpc));
  });
  return {
    url: `${url}/mcp`,
    requests,
    state,
    /** Requests with this method, oldest first. */
    of: (method: string) => requests.filter(({ rpc }) => rpc.method === method),
  };
}
