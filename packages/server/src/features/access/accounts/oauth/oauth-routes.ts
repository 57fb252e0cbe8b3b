// Serves the OAuth routes for programs: tokens, client registration, authorization, metadata and public keys.
import { setTimeout } from 'node:timers/promises';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { sha256Base64url } from '../../../../platform/crypto.ts';
import { searchParams } from '../pages/page-tools.ts';
import { bodyText, headersOf, sendResponse } from '../pages/web.ts';
import { clientProblem, withApplicationType } from './client-registration.ts';
import { allowAllOrigins, refuse } from './protocol-answers.ts';
import { fieldsOf, type ProtocolDeps, type ProtocolHttp, parseObject } from './protocol-http.ts';

// RFC 8414 section 3.1 puts the issuer's path after the well-known path; OpenID puts it before.
const metadata_paths = [
  '/.well-known/oauth-authorization-server/auth',
  '/.well-known/openid-configuration/auth',
  '/auth/.well-known/openid-configuration',
];

/** How long a refresh waits for the answer of another one that was first. */
const refresh_wait_ms = 50;
const max_refresh_waits = 20;

export function addOauthRoutes(
  scope: FastifyInstance,
  { get, post }: ProtocolHttp,
  deps: ProtocolDeps,
): void {
  for (const path of ['/auth/oauth2/revoke', '/auth/oauth2/introspect']) {
    post(path, async (request, reply) => {
      if (!isForm(request)) return refuseBody(reply);
      return sendResponse(allowAllOrigins(reply), await forward(deps, request, bodyText(request)));
    });
  }

  post('/auth/oauth2/token', async (request, reply) => {
    if (!isForm(request)) return refuseBody(reply);
    const response = await exchangeToken(deps, request);
    if (response.ok) await deps.store.storeClientUse(clientIdOf(request), deps.wall_clock.now());
    return sendResponse(allowAllOrigins(reply), response);
  });

  post('/auth/oauth2/register', async (request, reply) => {
    await deps.attempts.countCreation(request.ip);
    const text = bodyText(request);
    const problem = clientProblem(parseObject(text));
    if (problem) return refuse(reply, 'invalid_client_metadata', problem);
    return sendResponse(allowAllOrigins(reply), await forward(deps, request, withApplicationType(text)));
  });

  scope.get('/auth/oauth2/authorize', (request, reply) => authorize(deps, request, reply));

  get('/auth/jwks', async (reply) => reply.send(await (await deps.engine()).jwks()));
  for (const path of metadata_paths) {
    get(path, async (reply) => reply.send(await (await deps.engine()).authorizationServer()));
  }
}

/** RFC 6749 section 3.2 and RFC 7009 section 2.1 allow forms only. */
const isForm = (request: FastifyRequest) =>
  /^application\/x-www-form-urlencoded\s*(;|$)/i.test(request.headers['content-type'] ?? '');

const refuseBody = (reply: FastifyReply) =>
  refuse(reply, 'invalid_request', 'The body must be a form: application/x-www-form-urlencoded.');

/** Another request may be replacing the same refresh token. Its answer is repeated as soon as it is stored. */
async function exchangeToken(deps: ProtocolDeps, request: FastifyRequest): Promise<Response> {
  const refresh_token = fieldsOf(request)('refresh_token');
  const token_hash = refresh_token === '' ? null : sha256Base64url(refresh_token);
  for (let waits = 0; ; waits++) {
    const response = await forward(deps, request, bodyText(request));
    if (response.status !== 400 || token_hash === null || waits === max_refresh_waits) return response;
    if ((await deps.store.refreshOf(token_hash, deps.wall_clock.now())) === 'none') return response;
    await setTimeout(refresh_wait_ms);
  }
}

/** Passes a request to the account engine without cookies, so that a page of another site cannot use a user's session. */
async function forward(deps: ProtocolDeps, request: FastifyRequest, body: string): Promise<Response> {
  const headers = headersOf(request);
  headers.delete('cookie');
  const url = deps.baseUrl() + request.routeOptions.url;
  return (await deps.engine()).handle(new Request(url, { method: 'POST', headers, body }));
}

async function authorize(
  deps: ProtocolDeps,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const url = new URL(`${deps.baseUrl()}${request.routeOptions.url}?${searchParams(request)}`);
  if (!url.searchParams.has('resource')) url.searchParams.set('resource', deps.default_resource);
  const headers = headersOf(request);
  // Without it, the engine would return the redirect as JSON for a script.
  headers.set('accept', 'text/html');
  return sendResponse(reply, await (await deps.engine()).handle(new Request(url, { headers })));
}

/** From the body or, for clients with a secret, from the header (RFC 6749 section 2.3.1). */
function clientIdOf(request: FastifyRequest): string {
  const client_id = fieldsOf(request)('client_id');
  if (client_id !== '') return client_id;
  const basic = /^Basic (.+)$/i.exec(request.headers.authorization ?? '')?.[1] ?? '';
  return Buffer.from(basic, 'base64').toString().split(':')[0] ?? '';
}
