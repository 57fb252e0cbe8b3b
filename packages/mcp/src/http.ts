// The MCP server over HTTP: checks host, origin and credential, then passes the request to the protocol. It has no sessions.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, type McpServerFactory, validateHostHeader } from '@modelcontextprotocol/server';
import { type Authenticator, authenticator, type ClientHeaders, metadata_path } from './authentication.ts';
import type { FastPath } from './fast-path.ts';
import { internal_error, type Refusal, sendError, sendJson, sendProblem } from './json-response.ts';
import type { Mode } from './mode.ts';
import { readBody } from './request-body.ts';
import type { TokenCheck } from './token-check.ts';

export type HttpDeps = {
  mode: Mode;
  /** The public URL of this server, the required audience of tokens. */
  url: URL;
  /** The port it listens on. */
  port: number;
  check: TokenCheck;
  clientHeaders: ClientHeaders;
  fastPath: FastPath;
  factory: McpServerFactory;
  onError(error: Error): void;
};

type Request = IncomingMessage & {
  method: string;
  url: string;
  /** Read by the protocol library. */
  auth?: { token: string; clientId: string; scopes: string[] };
};

export type McpHandler = {
  listener(request: IncomingMessage, response: ServerResponse): void;
  close(): Promise<void>;
};

type Endpoint = {
  mode: Mode;
  path: string;
  hosts: readonly string[];
  origins: ReadonlySet<string>;
  auth: Authenticator;
  fastPath: FastPath;
  serveProtocol(request: Request, response: ServerResponse, body?: unknown): Promise<void>;
};

const refusals = {
  host: {
    status: 403,
    code: 'host_not_allowed',
    message: '',
    fix: 'Connect to the public address of the MCP server. The operator sets it with PARLEY_MCP_URL.',
  },
  origin: {
    status: 403,
    code: 'origin_not_allowed',
    message: 'Requests from this origin are not allowed',
    fix: 'Connect with a program, or from a page of this server.',
  },
  path: { status: 404, code: 'not_found', message: 'Not found', fix: '' },
  method: { status: 405, code: 'method_not_allowed', message: 'Only GET', fix: 'Use GET.' },
} satisfies Record<string, Refusal>;

export function mcpHandler(deps: HttpDeps): McpHandler {
  const { mode, url } = deps;
  const handler = createMcpHandler(deps.factory, { onerror: () => {} });
  const local_hosts = ['localhost', '127.0.0.1', '[::1]'];
  const endpoint: Endpoint = {
    mode,
    path: url.pathname,
    hosts: [...local_hosts, url.hostname],
    // With the port: pages of other servers on this machine are not allowed.
    origins: new Set([url.origin, ...local_hosts.map((host) => `http://${host}:${deps.port}`)]),
    auth: authenticator(deps),
    fastPath: deps.fastPath,
    serveProtocol: toNodeHandler(handler, { onerror: deps.onError }),
  };
  return {
    listener(request, response) {
      route(endpoint, request as Request, response).catch((error: Error) => {
        deps.onError(error);
        if (response.headersSent) response.destroy();
        else sendError(response, internal_error);
      });
    },
    close: () => handler.close(),
  };
}

async function route(endpoint: Endpoint, request: Request, response: ServerResponse): Promise<void> {
  const { auth, path } = endpoint;
  const host = validateHostHeader(request.headers.host, [...endpoint.hosts]);
  if (!host.ok) return sendError(response, { ...refusals.host, message: host.message });
  const requested = request.url.split('?')[0]!;
  if (auth.metadata !== null && (requested === metadata_path || requested === `${metadata_path}${path}`)) {
    if (request.method !== 'GET') return sendProblem(response, refusals.method, { allow: 'GET' });
    return sendJson(response, 200, auth.metadata, { 'access-control-allow-origin': '*' });
  }
  const { origin } = request.headers;
  if (origin !== undefined && !endpoint.origins.has(origin)) return sendError(response, refusals.origin);
  if (requested === '/healthz') return sendJson(response, 200, '{"status":"ok"}');
  if (requested !== path)
    return sendProblem(response, { ...refusals.path, fix: `The MCP server is at ${path}.` });
  return serveMcp(endpoint, request, response);
}

async function serveMcp(endpoint: Endpoint, request: Request, response: ServerResponse): Promise<void> {
  const { mode } = endpoint;
  const caller = await endpoint.auth.authenticate(request);
  if (!caller.ok) return sendError(response, caller.refusal, caller.headers);
  if (caller.token !== null) request.auth = { token: caller.token, clientId: '', scopes: [] };
  if (request.method !== 'POST') return endpoint.serveProtocol(request, response);
  const read = await readBody(request);
  if (!read.ok) {
    const headers: Record<string, string> = read.refusal.status === 413 ? { connection: 'close' } : {};
    return sendError(response, read.refusal, headers);
  }
  const credential = mode.kind === 'static' ? mode.key : caller.token!;
  const client = new AbortController();
  response.once('close', () => client.abort());
  const { headers } = request;
  const fast = await endpoint
    .fastPath({ headers, body: read.body, credential, signal: client.signal })
    .catch((error: unknown) => {
      if (client.signal.aborted) return 'disconnected' as const;
      throw error;
    });
  if (fast === 'disconnected') return;
  if (fast !== null) return sendJson(response, 200, fast);
  return endpoint.serveProtocol(request, response, read.body);
}
