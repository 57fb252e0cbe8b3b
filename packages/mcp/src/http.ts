// The tool server over HTTP: who may knock (host, origin, token), then the protocol. It keeps no sessions.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, type McpServerFactory, validateHostHeader } from '@modelcontextprotocol/server';
import type { Mode } from './mode.ts';
import { callAnswer, listAnswers, plainRequest } from './plain-call.ts';
import type { RunTool } from './run-tool.ts';
import type { TokenCheck } from './token-check.ts';
import type { ToolSet } from './tool-set.ts';

/** A file of 6 MiB in base64, and what stands around it. */
const body_bytes = 9 * 1024 * 1024;
/** More than any message needs. The protocol's library reads messages recursively: without a limit it runs out of stack. */
const max_depth = 64;
const scope = 'parley';
const metadata_path = '/.well-known/oauth-protected-resource';

export type HttpDeps = {
  mode: Mode;
  /** The public address of this server, which tokens must name. */
  url: URL;
  /** Where it listens on this machine. */
  port: number;
  tools: ToolSet;
  runTool: RunTool;
  check: TokenCheck;
  factory: McpServerFactory;
  onError(error: Error): void;
};

type Authenticated = IncomingMessage & {
  method: string;
  url: string;
  auth?: { token: string; clientId: string; scopes: string[] };
};

export type McpHandler = {
  listener(request: IncomingMessage, response: ServerResponse): void;
  close(): Promise<void>;
};

export function mcpHandler(deps: HttpDeps): McpHandler {
  const { mode, url, tools, runTool, check } = deps;
  const handler = createMcpHandler(deps.factory, { onerror: () => {} });
  const serve = toNodeHandler(handler, { onerror: deps.onError });
  const answerList = listAnswers(tools);
  const path = url.pathname;
  const hosts = ['localhost', '127.0.0.1', '[::1]', url.hostname];
  // With its port: any other page on this machine is a stranger.
  const origins = new Set([url.origin, ...hosts.slice(0, 3).map((host) => `http://${host}:${deps.port}`)]);
  const metadata_url = new URL(metadata_path + (path === '/' ? '' : path), url).href;
  const metadata =
    mode.kind === 'oauth'
      ? JSON.stringify({
          resource: url.href,
          authorization_servers: mode.authorization_servers,
          scopes_supported: [scope],
          bearer_methods_supported: ['header'],
          resource_name: 'Parley',
        })
      : null;

  const challenge = (error: string | null, description: string) => {
    const where =
      metadata === null ? 'realm="parley"' : `scope="${scope}", resource_metadata="${metadata_url}"`;
    return `Bearer ${error ? `error="${error}", error_description="${description}", ` : ''}${where}`;
  };

  /** True when the request may go on; it is answered otherwise. */
  async function admit(request: Authenticated, response: ServerResponse): Promise<boolean> {
    if (mode.kind === 'static') return true;
    const token = /^Bearer +([\x21-\x7e]+) *$/i.exec(request.headers.authorization ?? '')?.[1];
    if (token === undefined) {
      // RFC 6750 section 3.1: a request without a credential is told where to get one, not what is wrong with it.
      refuse(response, 401, mode.kind === 'key' ? 'An API key is needed' : 'A bearer token is needed', {
        'www-authenticate': challenge(null, ''),
      });
      return false;
    }
    const verdict = await check.judge(token);
    if (!verdict.ok) {
      const headers: Record<string, string> = {};
      if (verdict.error) headers['www-authenticate'] = challenge(verdict.error, verdict.message);
      if (verdict.status === 503) headers['retry-after'] = '5';
      refuse(response, verdict.status, verdict.message, headers);
      return false;
    }
    request.auth = { token, clientId: '', scopes: [] };
    return true;
  }

  async function serveMcp(request: Authenticated, response: ServerResponse): Promise<void> {
    if (!(await admit(request, response))) return;
    if (request.method !== 'POST') return serve(request, response);
    const body = await readJson(request);
    if (body === too_large) return refuse(response, 413, 'The body is too large', { connection: 'close' });
    if (body === unreadable) return refuse(response, 400, 'The body is not readable JSON', {}, -32700);
    if (isDeeperThan(body, max_depth))
      return refuse(response, 400, 'The body is nested too deeply', {}, -32600);
    const plain = plainRequest(request.headers, body, tools);
    if (!plain) return serve(request, response, body);
    if (plain.kind === 'list') return sendJson(response, 200, answerList(plain));
    const credential = mode.kind === 'static' ? mode.key : request.auth!.token;
    const result = await runTool(plain.tool, plain.given, { credential });
    sendJson(response, 200, callAnswer(plain, result));
  }

  async function answer(request: Authenticated, response: ServerResponse): Promise<void> {
    const host = validateHostHeader(request.headers.host, hosts);
    if (!host.ok) return refuse(response, 403, host.message);
    const place = request.url.split('?')[0]!;
    if (metadata !== null && (place === metadata_path || place === `${metadata_path}${path}`)) {
      if (request.method !== 'GET') return refuse(response, 405, 'Only GET', { allow: 'GET' });
      return sendJson(response, 200, metadata, { 'access-control-allow-origin': '*' });
    }
    const { origin } = request.headers;
    if (origin !== undefined && !origins.has(origin))
      return refuse(response, 403, 'This page may not use the tool server');
    if (place === '/healthz') return sendJson(response, 200, '{"status":"ok"}');
    if (place !== path) return refuse(response, 404, `The tool server is at ${path}`);
    return serveMcp(request, response);
  }

  return {
    listener(request, response) {
      answer(request as Authenticated, response).catch((error: Error) => {
        deps.onError(error);
        if (response.headersSent) response.destroy();
        else refuse(response, 500, 'Something went wrong on our side', {}, -32603);
      });
    },
    close: () => handler.close(),
  };
}

const too_large = Symbol('too large');
const unreadable = Symbol('unreadable');

async function readJson(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    size += (chunk as Buffer).length;
    if (size > body_bytes) return too_large;
    chunks.push(chunk as Buffer);
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString('utf8'));
  } catch {
    return unreadable;
  }
}

function isDeeperThan(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (depth === 0) return true;
  for (const inner of Object.values(value)) if (isDeeperThan(inner, depth - 1)) return true;
  return false;
}

function sendJson(
  response: ServerResponse,
  status: number,
  text: string,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(text),
    ...headers,
  });
  response.end(text);
}

/** Protocol faults are JSON-RPC errors without an id: there was no readable request to answer. */
function refuse(
  response: ServerResponse,
  status: number,
  message: string,
  headers: Record<string, string> = {},
  code = -32000,
): void {
  sendJson(response, status, JSON.stringify({ jsonrpc: '2.0', error: { code, message }, id: null }), headers);
}
