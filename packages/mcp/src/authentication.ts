// Authenticates callers of the MCP server over HTTP, and publishes its OAuth metadata (RFC 9728).
import type { IncomingMessage } from 'node:http';
import type { Headers, Refusal } from './json-response.ts';
import type { Mode } from './mode.ts';
import type { TokenCheck } from './token-check.ts';

const scope = 'parley';
export const metadata_path = '/.well-known/oauth-protected-resource';

export type Authentication =
  /** `token` is null in static-key mode, in which callers are not authenticated. */
  { ok: true; token: string | null } | { ok: false; refusal: Refusal; headers: Headers };

export type Authenticator = {
  authenticate(request: IncomingMessage): Promise<Authentication>;
  /** The JSON text of the OAuth metadata; null in the other modes. */
  metadata: string | null;
};

export type ClientHeaders = (request: IncomingMessage) => Record<string, string>;

/** As proxies do: the API trusts it if its settings name the MCP server as a proxy. */
export const forwardedFor: ClientHeaders = ({ headers, socket }) => ({
  'x-forwarded-for': [headers['x-forwarded-for'] ?? [], socket.remoteAddress ?? []].flat().join(', '),
});

export function authenticator(deps: {
  mode: Mode;
  url: URL;
  check: TokenCheck;
  clientHeaders: ClientHeaders;
}): Authenticator {
  const { mode, url, check, clientHeaders } = deps;
  const challenge = mode.kind === 'oauth' ? oauthChallenge(url) : 'realm="parley"';
  return {
    metadata: mode.kind === 'oauth' ? metadataOf(url, mode.authorization_servers) : null,

    async authenticate(request) {
      if (mode.kind === 'static') return { ok: true, token: null };
      const token = /^Bearer +([\x21-\x7e]+) *$/i.exec(request.headers.authorization ?? '')?.[1];
      if (token === undefined) {
        // RFC 6750 section 3.1: without a credential the challenge has no error code.
        const message = mode.kind === 'key' ? 'An API key is needed' : 'A bearer token is needed';
        const headers = { 'www-authenticate': `Bearer ${challenge}` };
        return { ok: false, refusal: refusalOf(401, message), headers };
      }
      const verdict = await check.validate(token, clientHeaders(request));
      if (verdict.ok) return { ok: true, token };
      const { status, error, message } = verdict;
      const headers = {
        ...(error && {
          'www-authenticate': `Bearer error="${error}", error_description="${message}", ${challenge}`,
        }),
        ...(status === 503 && { 'retry-after': '5' }),
        ...(status === 429 && { 'retry-after': String(verdict.retry_after_seconds) }),
      };
      return { ok: false, refusal: refusalOf(status, message), headers };
    },
  };
}

const refusalOf = (status: 401 | 403 | 429 | 503, message: string): Refusal => ({
  status,
  message,
  ...{
    401: {
      code: 'unauthenticated',
      fix: 'Send "Authorization: Bearer <key>" with a valid credential, or let your MCP client sign in again.',
    },
    403: { code: 'insufficient_scope', fix: `Use a credential with the scope ${scope}.` },
    429: {
      code: 'rate_limited',
      fix: 'Check the credential, and try again after the seconds in Retry-After.',
    },
    503: {
      code: 'api_unreachable',
      fix: 'Try again after the seconds in Retry-After. If it keeps failing, check that the MCP server can reach the API.',
    },
  }[status],
});

function oauthChallenge(url: URL): string {
  const metadata_url = new URL(metadata_path + (url.pathname === '/' ? '' : url.pathname), url).href;
  return `scope="${scope}", resource_metadata="${metadata_url}"`;
}

const metadataOf = (url: URL, authorization_servers: readonly string[]) =>
  JSON.stringify({
    resource: url.href,
    authorization_servers,
    scopes_supported: [scope],
    bearer_methods_supported: ['header'],
    resource_name: 'Parley',
  });
