// The one-time sign-in link of the start banner: opens the console with the shared key, once, for a few minutes, on this machine.
import { isIP } from 'node:net';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Config } from '../../config/config.ts';
import type { Clock } from '../../platform/clock.ts';
import { randomToken, sameSecret } from '../../platform/crypto.ts';
import { addressKind } from '../../platform/egress/address-policy.ts';
import { ApiError } from '../../platform/http/api-error.ts';

const lifetime_ms = 15 * 60_000;

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

export function oneTimeSignIn(deps: { wall_clock: Clock; shared_key: string }) {
  let open: { token: string; until_ms: number } | null = null;
  return {
    /** A new token; the one before it stops working. */
    createToken(): string {
      const token = randomToken('');
      open = { token, until_ms: deps.wall_clock.ms() + lifetime_ms };
      return token;
    },

    /** The key, for the first request with the token; null for all others. */
    redeem(token: string): string | null {
      if (open === null || deps.wall_clock.ms() > open.until_ms) return null;
      if (!sameSecret(token, open.token)) return null;
      open = null;
      return deps.shared_key;
    },
  };
}
export type OneTimeSignIn = ReturnType<typeof oneTimeSignIn>;

/**
 * Not the address that a proxy reports: a proxy on this machine passes on requests of other machines. The name of the host is
 * checked because a page of another site can have a name that leads to this machine (DNS rebinding).
 */
const isOnThisMachine = (request: FastifyRequest) =>
  isLoopback(request.socket.remoteAddress ?? '') &&
  isLoopback(request.hostname) &&
  request.headers['x-forwarded-for'] === undefined;

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
