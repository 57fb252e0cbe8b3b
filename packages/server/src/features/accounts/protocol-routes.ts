// Serves the paths that programs use: device login, OAuth, its metadata and the public keys.
import { limits } from '@parley/contract/limits';
import { admin_scope } from '@parley/contract/roles';
import { known_scopes } from '@parley/contract/scopes';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Clock } from '../../platform/clock.ts';
import type { AccountStore } from './account-store.ts';
import { hasControls } from './account-terms.ts';
import type { AttemptLimits } from './attempts.ts';
import { type DeviceLogins, device_clients, device_grant } from './device.ts';
import type { AccountEngine } from './engine.ts';
import { bodyText, headersOf, sendResponse } from './web.ts';

export type ProtocolDeps = {
  engine(): Promise<AccountEngine>;
  devices: DeviceLogins;
  attempts: AttemptLimits;
  baseUrl(): string;
  /** What a token is for when the program does not say. */
  default_resource: string;
  store: AccountStore;
  wall_clock: Clock;
};

export function addProtocolRoutes(scope: FastifyInstance, deps: ProtocolDeps): void {
  const { devices, attempts } = deps;

  /** Programs in browsers may ask too: nothing here depends on a cookie. */
  const openToAll = (reply: FastifyReply) =>
    reply.headers({
      'access-control-allow-origin': '*',
      'access-control-allow-headers': 'authorization, content-type, mcp-protocol-version',
      'access-control-allow-methods': 'GET, POST, OPTIONS',
      'cache-control': 'no-store',
    });

  const refuse = (reply: FastifyReply, error: string, error_description?: string) =>
    openToAll(reply)
      .code(400)
      .send({ error, ...(error_description ? { error_description } : {}) });

  const asked: string[] = [];
  const post = (
    path: string,
    answer: (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>,
  ) => {
    asked.push(path);
    scope.post(path, async (request, reply) => {
      await attempts.place(request.ip);
      return answer(request, reply);
    });
  };
  const get = (path: string, answer: (reply: FastifyReply) => Promise<FastifyReply>) => {
    asked.push(path);
    scope.get(path, (_, reply) => answer(openToAll(reply)));
  };

  post('/auth/device/code', async (request, reply) => {
    await attempts.begin(request.ip);
    const field = fieldsOf(request);
    const client_id = field('client_id');
    if (!Object.hasOwn(device_clients, client_id)) return refuse(reply, 'invalid_client');
    const scopes = field('scope')
      .split(' ')
      .filter((each) => each !== '');
    if (scopes.length > 50 || !scopes.every(isDeviceScope)) {
      return refuse(reply, 'invalid_scope');
    }
    return openToAll(reply).send(await devices.begin(client_id, scopes.length > 0 ? scopes : ['*']));
  });

  post('/auth/device/token', async (request, reply) => {
    const field = fieldsOf(request);
    if (field('grant_type') !== device_grant) return refuse(reply, 'unsupported_grant_type');
    const actor = { user_id: null, credential_id: null, ip: request.ip, request_id: request.id };
    const answer = await devices.redeem(actor, field('client_id'), field('device_code'));
    if ('error' in answer) return refuse(reply, answer.error);
    return openToAll(reply).send({ ...answer, token_type: 'Bearer' });
  });

  /** Without cookies, so that no page elsewhere can use the session of whoever visits it. */
  const forward = async (request: FastifyRequest, reply: FastifyReply, body: string) => {
    const headers = headersOf(request);
    headers.delete('cookie');
    const url = deps.baseUrl() + request.url;
    const answer = await (await deps.engine()).handle(new Request(url, { method: 'POST', headers, body }));
    return { answer, send: () => sendResponse(openToAll(reply), answer) };
  };
  for (const path of ['/auth/oauth2/revoke', '/auth/oauth2/introspect']) {
    post(path, async (request, reply) => (await forward(request, reply, bodyText(request))).send());
  }
  post('/auth/oauth2/token', async (request, reply) => {
    const { answer, send } = await forward(request, reply, bodyText(request));
    if (answer.ok) await deps.store.clientUsed(clientIdOf(request), deps.wall_clock.now());
    return send();
  });
  post('/auth/oauth2/register', async (request, reply) => {
    await attempts.begin(request.ip);
    const text = bodyText(request);
    const problem = clientProblem(parsed(text));
    if (problem) return refuse(reply, 'invalid_client_metadata', problem);
    return (await forward(request, reply, withApplicationType(text))).send();
  });

  scope.get('/auth/oauth2/authorize', async (request, reply) => {
    const url = new URL(deps.baseUrl() + request.url);
    if (!url.searchParams.has('resource')) url.searchParams.set('resource', deps.default_resource);
    const headers = headersOf(request);
    // A browser is sent on; only scripts would want to be told where.
    headers.set('accept', 'text/html');
    return sendResponse(reply, await (await deps.engine()).handle(new Request(url, { headers })));
  });

  get('/auth/jwks', async (reply) => reply.send(await (await deps.engine()).jwks()));
  // RFC 8414 section 3.1 puts the issuer's path behind the well-known one; OpenID puts it before.
  for (const path of [
    '/.well-known/oauth-authorization-server/auth',
    '/.well-known/openid-configuration/auth',
    '/auth/.well-known/openid-configuration',
  ]) {
    get(path, async (reply) => reply.send(await (await deps.engine()).authorizationServer()));
  }
  for (const path of asked) scope.options(path, (_, reply) => openToAll(reply).code(204).send());
}

/** A device never administers, whoever approves it. */
const isDeviceScope = (scope: string) => scope !== admin_scope && known_scopes.includes(scope);

function fieldsOf(request: FastifyRequest): (name: string) => string {
  const text = bodyText(request);
  if (!request.headers['content-type']?.startsWith('application/json')) {
    const fields = new URLSearchParams(text);
    return (name) => fields.get(name) ?? '';
  }
  const fields = parsed(text);
  return (name) => (typeof fields[name] === 'string' ? fields[name] : '');
}

/** From the body or, for clients with a secret, from the header (RFC 6749 section 2.3.1). */
function clientIdOf(request: FastifyRequest): string {
  const named = fieldsOf(request)('client_id');
  if (named !== '') return named;
  const basic = /^Basic (.+)$/i.exec(request.headers.authorization ?? '')?.[1] ?? '';
  return Buffer.from(basic, 'base64').toString().split(':')[0] ?? '';
}

/** People decide by the name: it must read as what it is. */
function clientProblem(client: Record<string, unknown>): string | null {
  const { client_name: name } = client;
  if (name === undefined) return null;
  if (typeof name !== 'string' || name.length > limits.name_chars)
    return `client_name has at most ${limits.name_chars} characters`;
  return hasControls(name) ? 'client_name has control or bidirectional characters' : null;
}

function parsed(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

/** A program that is called back on this very machine is a native one, though most forget to say so. */
function withApplicationType(text: string): string {
  const client = parsed(text);
  const { redirect_uris, application_type } = client;
  if (application_type !== undefined || !Array.isArray(redirect_uris)) return text;
  const is_local = (uri: unknown) => {
    const url = typeof uri === 'string' ? URL.parse(uri) : null;
    return url?.protocol === 'http:' && ['127.0.0.1', '[::1]', 'localhost'].includes(url.hostname);
  };
  return redirect_uris.some(is_local) ? JSON.stringify({ ...client, application_type: 'native' }) : text;
}
