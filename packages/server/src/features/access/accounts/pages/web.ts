// HTTP for the account pages: forms, cookies, security headers, error pages, and safe redirects.
import { errors } from '@parley/contract/errors';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ApiError } from '../../../../platform/http/api-error.ts';
import { asApiError } from '../../../../platform/http/problem.ts';
import { refuse } from '../oauth/protocol-answers.ts';
import { messagePage } from './account-pages.ts';

/** Passes bodies on as text: each route parses its own format. */
export function acceptTextBodies(scope: FastifyInstance): void {
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser(
    ['application/x-www-form-urlencoded', 'application/json'],
    { parseAs: 'string', bodyLimit: 64 * 1024 },
    (_, body, done) => done(null, body),
  );
}

export const bodyText = (request: FastifyRequest): string =>
  typeof request.body === 'string' ? request.body : '';

/** Returns an empty string when there is no such cookie. */
export function cookieOf(request: FastifyRequest, name: string): string {
  const pairs = (request.headers.cookie ?? '').split(';').map((pair) => pair.trim());
  return pairs.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1) ?? '';
}

/** Reads the fields of a form; a field that is sent twice counts as missing. */
export function formOf(request: FastifyRequest): (name: string) => string {
  const fields = new URLSearchParams(bodyText(request));
  return (name) => {
    const values = fields.getAll(name);
    // PostgreSQL cannot store NUL characters and lone surrogates.
    return values.length === 1 ? values[0]!.replaceAll('\0', '').toWellFormed() : '';
  };
}

/** The request headers for the account engine, with the client address that this server found. */
export function headersOf(request: FastifyRequest): Headers {
  const headers = new Headers({ 'x-parley-client-ip': request.ip });
  for (const name of ['cookie', 'user-agent', 'accept', 'content-type', 'authorization', 'dpop'] as const) {
    const value = request.headers[name];
    if (typeof value === 'string') headers.set(name, value);
  }
  return headers;
}

/**
 * Protects against cross-site request forgery: a page of another site can make a browser send our cookies, but not our
 * origin. Browsers send the origin with every POST, so a missing one is refused too.
 */
export function requireOwnOrigin(request: FastifyRequest, base_url: string): void {
  const { origin, host } = request.headers;
  const sender = URL.parse(origin ?? '');
  if (sender && (sender.origin === new URL(base_url).origin || sender.host === host)) return;
  throw new ApiError('insufficient_scope', { detail: 'This form was not sent from a page of this server.' });
}

/** The pages of links to approvals, and the account pages. */
const own_paths = /^\/(?:auth(?:\/|$)|approvals\/decide\/[\w-]{43}$)/;

/** Limits the redirect after signing in to the console, the account pages and links to approvals, so that a link cannot redirect elsewhere. */
export function safeNext(next: string, base_url: string): string {
  const base = new URL(base_url).origin;
  if (next === '/') return '/';
  if (!/^\/(auth|approvals\/)/.test(next) || /[\\\s]/.test(next)) return '/auth';
  const url = URL.parse(next, base);
  return url?.origin === base && own_paths.test(url.pathname) ? url.pathname + url.search : '/auth';
}

/** Chromium applies form-action also to redirects after a form, so the policy must list the client's redirect URL. */
export function redirectSource(redirect_uri: string | null): string | null {
  const url = redirect_uri === null ? null : URL.parse(redirect_uri);
  if (!url) return null;
  return url.protocol === 'http:' || url.protocol === 'https:' ? url.origin : url.protocol;
}

export function sendPage(
  reply: FastifyReply,
  page: string,
  options: { status?: number; form_target?: string | null } = {},
): FastifyReply {
  const form_action = ["'self'", ...(options.form_target ? [options.form_target] : [])].join(' ');
  return reply
    .code(options.status ?? 200)
    .headers({
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': `default-src 'none'; style-src 'self'; font-src 'self'; form-action ${form_action}; frame-ancestors 'none'; base-uri 'none'`,
      'x-frame-options': 'DENY',
      'x-content-type-options': 'nosniff',
      // Not no-referrer: with it, browsers do not send the origin with our own forms.
      'referrer-policy': 'same-origin',
      'cross-origin-opener-policy': 'same-origin',
      'cache-control': 'no-store',
    })
    .send(page);
}

export const redirectTo = (
  reply: FastifyReply,
  path: string,
  cookies: readonly string[] = [],
): FastifyReply =>
  reply
    .header('set-cookie', [...cookies])
    .header('cache-control', 'no-store')
    .redirect(path, 303);

/** Programs read the errors of RFC 6749 there, also when the body itself is refused. */
const isMalformedProtocolRequest = (request: FastifyRequest, { code }: ApiError) =>
  Boolean(request.routeOptions.url?.startsWith('/auth/oauth2/')) &&
  [400, 413, 415].includes(errors[code].status);

/** Shows refusals as pages to browsers; the API's error handler handles all other errors. */
export function showErrorsAsPages(scope: FastifyInstance): void {
  scope.setErrorHandler((thrown, request, reply) => {
    const error = asApiError(thrown);
    if (isMalformedProtocolRequest(request, error)) return refuse(reply, 'invalid_request', error.message);
    const wants_page = request.headers.accept?.includes('text/html');
    if (!wants_page) throw thrown;
    if (error.code === 'database_unavailable') {
      reply.header('retry-after', String(error.options.retry_after_seconds ?? 1));
      const text =
        'The service cannot reach its database at the moment. Nothing was changed. Please try again soon.';
      return sendPage(reply, messagePage('Temporarily unavailable', text), { status: 503 });
    }
    if (error.code === 'rate_limited') {
      const seconds = error.options.retry_after_seconds ?? 60;
      reply.header('retry-after', String(seconds));
      return sendPage(
        reply,
        messagePage('Too many attempts', `Please wait ${seconds} seconds and try again.`),
        {
          status: 429,
        },
      );
    }
    if (error.code === 'system_mail_not_configured') {
      const text =
        'This server cannot send mail yet, so it cannot create accounts or send links. Please ask its operator.';
      return sendPage(reply, messagePage('Mail is not set up', text), { status: 503 });
    }
    if (error.code === 'address_not_verified') {
      return sendPage(reply, messagePage('Address not verified', error.message), { status: 403 });
    }
    if (error.code === 'insufficient_scope') {
      return sendPage(reply, messagePage('Not allowed', error.message), { status: 403 });
    }
    throw thrown;
  });
}

/** Sends the account engine's response unchanged, with all of its cookies. */
export async function sendResponse(reply: FastifyReply, response: Response): Promise<FastifyReply> {
  for (const [name, value] of response.headers) if (name !== 'set-cookie') reply.header(name, value);
  const cookies = response.headers.getSetCookie();
  if (cookies.length > 0) reply.header('set-cookie', cookies);
  return reply.code(response.status).send(Buffer.from(await response.arrayBuffer()));
}
