// Slows down whoever tries passwords and codes, counted over all processes.
import { isIPv6 } from 'node:net';
import { sha256Base64url } from '../../platform/crypto.ts';
import type { Database } from '../../platform/db/database.ts';
import { ApiError } from '../../platform/http/api-error.ts';
import { rateLimiter } from '../../platform/rate-limit.ts';

/** So many a minute, at once or spread. */
const per_minute = {
  /** Passwords tried for one account from one place, and from everywhere. */
  password_from_place: 5,
  password: 20,
  /** Device codes that one person types. */
  device_code_typed: 5,
  /** Anything one place sends to the account pages. */
  place: 60,
  /** Device logins that one place begins, and clients that it registers. */
  beginning: 20,
};
type Kind = keyof typeof per_minute;

export function attemptLimits(deps: { db: Database }) {
  const limiters = Object.fromEntries(
    Object.entries(per_minute).map(([kind, limit_per_minute]) => [
      kind,
      rateLimiter({ db: deps.db, limit_per_minute }),
    ]),
  ) as Record<Kind, ReturnType<typeof rateLimiter>>;

  const take = async (kind: Kind, who: string): Promise<void> => {
    // Hashed, so that the table of counters holds no addresses of people.
    const verdict = await limiters[kind].take(`auth:${kind}:${sha256Base64url(who)}`);
    if (!verdict.allowed) {
      throw new ApiError('rate_limited', {
        detail: 'Too many attempts.',
        retry_after_seconds: verdict.retry_after_seconds,
        rate_limit: { ...verdict, remaining: 0 },
      });
    }
  };

  return {
    place: (ip: string) => take('place', placeOf(ip)),
    begin: (ip: string) => take('beginning', placeOf(ip)),
    typeDeviceCode: (user_id: string) => take('device_code_typed', user_id),
    /** The same for addresses that have an account and those that have none. */
    async tryPassword(ip: string, email: string): Promise<void> {
      const account = email.toLowerCase();
      await take('password_from_place', `${placeOf(ip)} ${account}`);
      await take('password', account);
    },
  };
}
export type AttemptLimits = ReturnType<typeof attemptLimits>;

/** One customer of an IPv6 provider has 2^64 addresses: the network counts, not the address. */
export function placeOf(ip: string): string {
  if (!isIPv6(ip) || ip.includes('.')) return ip;
  const [head = '', tail = ''] = ip.split('::');
  const left = head === '' ? [] : head.split(':');
  const right = tail === '' ? [] : tail.split(':');
  const zeros = Array.from({ length: ip.includes('::') ? 8 - left.length - right.length : 0 }, () => '0');
  return [...left, ...zeros, ...right]
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':');
}
