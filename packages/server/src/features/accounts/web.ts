// How the account pages and protocols meet HTTP: forms, cookies, strict headers, and where a browser may be sent.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ApiError } from '../../platform/http/api-error.ts';
import { asApiError } from '../../platform/http/problem.ts';
import { messagePage } from './pages.ts';

/** Bodies are handed on as they came: each path knows what it reads. */
export function readBodies(scope: FastifyInstance): void {
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser(
    ['application/x-www-form-urlencoded', 'application/json'],
    { parseAs: 'string', bodyLimit: 64 * 1024 },
    (_, body, done) => done(null, body),
  );
}

export const bodyText = (request: FastifyRequest): string =>
  typeof request.body === 'string' ? request.body : '';

/** The value of a cookie; empty when there is none. */
export function cookieOf(request: FastifyRequest, name: string): string {
  const pairs = (request.headers.cookie ?? '').split(';').map((pair) => pair.trim());
  return pairs.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1) ?? '';
}

/** A form's fields; a field given twice counts as not given. */
export function formOf(request: FastifyRequest): (name: string) => string {
  const fields = new URLSearchParams(bodyText(request));
  return (name) => {
    const values = fields.getAll(name);
    // What PostgreSQL cannot store cannot be a name or a password either.
    return values.length === 1 ? values[0]!.replaceAll('\0', '').toWellFormed() : '';
  };
}

/** For the account engine: the client's address is ours to tell. */
export function headersOf(request: FastifyRequest): Headers {
  const headers = new Headers({ 'x-parley-client-ip': request.ip });
  for (const name of ['cookie', 'user-agent', 'accept', 'content-type', 'authorization', 'dpop'] as const) {
    const value = request.headers[name];
    if (typeof value === 'string') headers.set(name, value);
  }
  return headers;
}

/**
 * A form of ours was sent from a page of ours. Browsers tell the origin of every POST, so its absence is no excuse; a page
 * elsewhere can make a browser send our cookies, but not our origin.
 */
export function requireOwnOrigin(request: FastifyRequest, base_url: string): void {
  const { origin, host } = request.headers;
  const known = URL.parse(origin ?? '');
  if (known && (known.origin === new URL(base_url).origin || known.host === host)) return;
  throw new ApiError('insufficient_scope', { detail: 'This form was not sent from a page of this server.' });
}

/** The console or a path of the account pages, whatever a link asked for: nobody is sent elsewhere after signing in. */
export function safeNext(next: string, base_url: string): string {
  const base = new URL(base_url).origin;
  if (next === '/') return '/';
  if (!next.startsWith('/auth') || /[\\\s]/.test(next)) return '/auth';
  const url = URL.parse(next, base);
  return url?.origin === base && /^\/auth(\/|$)/.test(url.pathname) ? url.pathname + url.search : '/auth';
}

/** Chromium holds a form's redirects to form-action too, so the place a client is sent back to must be named. */
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
      'content-security-policy': `default-src 'none'; style-src 'self'; form-action ${form_action}; frame-ancestors 'none'; base-uri 'none'`,
      'x-frame-options': 'DENY',
      'x-content-type-options': 'nosniff',
      // Not no-referrer: with it browsers also hide the origin of our own forms from us.
      'referrer-policy': 'same-origin',
      'cross-origin-opener-policy': 'same-origin',
      'cache-control': 'no-store',
    })
    .send(page);
}

export const goTo = (reply: FastifyReply, path: string, cookies: readonly string[] = []): FastifyReply =>
  reply
    .header('set-cookie', [...cookies])
    .header('cache-control', 'no-store')
    .redirect(path, 303);

/** What people see when something is refused; anything else goes to the one place that answers errors. */
export function pageErrors(scope: FastifyInstance): void {
  scope.setErrorHandler((thrown, request, reply) => {
    const wants_page = request.headers.accept?.includes('text/html');
    const error = asApiError(thrown);
    if (!wants_page) throw thrown;
    if (error.code === 'database_unavailable') {
      reply.header('retry-after', String(error.options.retry_after_seconds ?? 1));
      const text =
        'The service cannot reach its database just now. Nothing was changed; please try again in a moment.';
      return sendPage(reply, messagePage('Back in a moment', text), { status: 503 });
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
        'This server cannot send mail yet, so it cannot make accounts or send links. Please ask the person who runs it.';
      return sendPage(reply, messagePage('No mail', text), { status: 503 });
    }
    if (error.code === 'address_not_verified') {
      return sendPage(reply, messagePage('Address not proven', error.message), { status: 403 });
    }
    if (error.code === 'insufficient_scope') {
      return sendPage(reply, messagePage('Not allowed', error.message), { status: 403 });
    }
    throw thrown;
  });
}

/** The engine's answer as it is, with each of its cookies. */
export async function sendResponse(reply: FastifyReply, response: Response): Promise<FastifyReply> {
  for (const [name, value] of response.headers) if (name !== 'set-cookie') reply.header(name, value);
  const cookies = response.headers.getSetCookie();
  if (cookies.length > 0) reply.header('set-cookie', cookies);
  return reply.code(response.status).send(Buffer.from(await response.arrayBuffer()));
}
