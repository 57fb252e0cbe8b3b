// The one-time sign-in link of the start banner: opens the console with the shared key, once, for a few minutes, on this machine.
import { isIP } from 'node:net';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Config } from '../../../config/config.ts';
import type { Clock } from '../../../platform/clock.ts';
import { randomToken, sameSecret } from '../../../platform/crypto.ts';
import { addressKind } from '../../../platform/egress/address-policy.ts';
import { ApiError } from '../../../platform/http/api-error.ts';
import { type LocalListener, startLocalListener } from './local-listener.ts';

const lifetime_ms = 15 * 60_000;
/** How long the console may take to open. */
const exchange_ms = 60_000;

const isLoopback = (host: string) => {
  const name = host.replace(/^\[|\]$/g, '');
  return name === 'localhost' || (isIP(name) !== 0 && addressKind(name) === 'loopback');
};

/** Only where the shared key is the only credential, and only people at this machine can reach the server. */
export const mayHaveLink = ({ PARLEY_MANAGED, HOST, PARLEY_BASE_URL, DATABASE_URL }: Config): boolean =>
  PARLEY_MANAGED === 'off' &&
  DATABASE_URL === null &&
  isLoopback(HOST) &&
  (PARLEY_BASE_URL === null || isLoopback(new URL(PARLEY_BASE_URL).hostname));

type OpenToken = { token: string; until_ms: number };

/**
 * The printed link leads to a listener that only this machine reaches. There its token is exchanged for a second one, with which
 * the console gets the key a moment later: a stranger who reads the link in a log, and reaches the server through a proxy on this
 * machine, gets nothing.
 */
export function oneTimeSignIn(deps: {
  wall_clock: Clock;
  shared_key: string;
  config: Pick<Config, 'HOST'>;
  baseUrl(): string;
}) {
  let printed: OpenToken | null = null;
  let exchanged: OpenToken | null = null;
  let listener: Promise<LocalListener> | null = null;

  const open = (ms: number): OpenToken => ({
    token: randomToken(''),
    until_ms: deps.wall_clock.ms() + ms,
  });
  const isOpen = (each: OpenToken | null, token: string): boolean =>
    each !== null && deps.wall_clock.ms() <= each.until_ms && sameSecret(token, each.token);

  const consoleLink = (token: string) => `${deps.baseUrl()}/#sign-in=${token}`;
  function exchange(token: string): string {
    // The console then says that the link was used or has expired.
    if (!isOpen(printed, token)) return consoleLink('');
    printed = null;
    exchanged = open(exchange_ms);
    return consoleLink(exchanged.token);
  }

  return {
    /** A new link; the one before it stops working. */
    async createLink(): Promise<string> {
      listener ??= startLocalListener(deps.config.HOST, exchange);
      const { origin } = await listener;
      printed = open(lifetime_ms);
      return `${origin}/#sign-in=${printed.token}`;
    },

    /** Until when the last link can be opened; null when it was opened. */
    expiresAt: (): string | null => printed && new Date(printed.until_ms).toISOString(),

    /** The key, for the first request with an exchanged token; null for all others. */
    redeem(token: string): string | null {
      if (!isOpen(exchanged, token)) return null;
      exchanged = null;
      return deps.shared_key;
    },

    async close(): Promise<void> {
      (await listener)?.close();
    },
  };
}
export type OneTimeSignIn = ReturnType<typeof oneTimeSignIn>;

/** Also those that proxies set by their own configuration. */
const proxy_headers = [
  'forwarded',
  'via',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-proto',
  'x-real-ip',
];

/**
 * Not the address that a proxy reports: a proxy on this machine passes on requests of other machines. The name of the host is
 * checked because a page of another site can have a name that leads to this machine (DNS rebinding).
 */
const isOnThisMachine = (request: FastifyRequest) =>
  isLoopback(request.socket.remoteAddress ?? '') &&
  isLoopback(request.hostname) &&
  proxy_headers.every((name) => request.headers[name] === undefined);

export function addOneTimeRoute(app: FastifyInstance, sign_in: OneTimeSignIn): void {
  app.post('/console/sign-in', async (request, reply) => {
    const token = (request.body as { token?: unknown } | null)?.token;
    const key =
      typeof token === 'string' && token.length <= 100 && isOnThisMachine(request)
        ? sign_in.redeem(token)
        : null;
    if (key === null) throw new ApiError('unauthenticated', { detail: 'The link was used or has expired.' });
    return reply.header('cache-control', 'no-store').send({ key });
  });
}
