// Slows down whoever tries passwords and codes or makes the service send mail, counted over all processes.
import { sha256Base64url } from '../../platform/crypto.ts';
import type { Database } from '../../platform/db/database.ts';
import { ApiError } from '../../platform/http/api-error.ts';
import { networkOf } from '../../platform/http/client-network.ts';
import { rateLimiter } from '../../platform/rate-limit.ts';

/** So many within the time, at once or spread. */
const allowed = {
  /** Passwords tried for one account from one place. */
  password_from_place: { limit: 5, minutes: 1 },
  password_from_place_in_an_hour: { limit: 60, minutes: 60 },
  /** Passwords tried for one account from all places together from which nobody signed in to it before. */
  password_from_strangers: { limit: 20, minutes: 60 },
  /** Device codes that one person types. */
  device_code_typed: { limit: 5, minutes: 1 },
  /** Anything one place sends to the account pages. */
  place: { limit: 60, minutes: 1 },
  /** Device logins that one place begins, accounts it makes, and clients that it registers. */
  beginning: { limit: 20, minutes: 1 },
  /** Mail to one address that one place asks for, and all places together. */
  mail_from_place: { limit: 5, minutes: 60 },
  mail: { limit: 10, minutes: 60 },
  /** Failed sign-ins that are written down: of one account, of addresses without an account, and of all. */
  failure_of_account: { limit: 10, minutes: 60 },
  failure_of_unknown: { limit: 20, minutes: 60 },
  failure: { limit: 200, minutes: 60 },
} as const;
type Kind = keyof typeof allowed;

export function attemptLimits(deps: { db: Database }) {
  const limiters = Object.fromEntries(
    Object.entries(allowed).map(([kind, { limit, minutes }]) => [
      kind,
      rateLimiter({ db: deps.db, limit_per_minute: limit, window_ms: minutes * 60_000 }),
    ]),
  ) as Record<Kind, ReturnType<typeof rateLimiter>>;

  // Hashed, so that the table of counters holds no addresses of people.
  const ask = async (kind: Kind, who: string) => limiters[kind].take(`auth:${kind}:${sha256Base64url(who)}`);

  const take = async (kind: Kind, who: string): Promise<void> => {
    const verdict = await ask(kind, who);
    if (!verdict.allowed) {
      throw new ApiError('rate_limited', {
        detail: 'Too many attempts.',
        retry_after_seconds: verdict.retry_after_seconds,
        rate_limit: { ...verdict, remaining: 0 },
      });
    }
  };

  return {
    place: (ip: string) => take('place', networkOf(ip)),
    begin: (ip: string) => take('beginning', networkOf(ip)),
    typeDeviceCode: (user_id: string) => take('device_code_typed', user_id),
    /** The same for addresses that have an account and those that have none. */
    async askForMail(ip: string, email: string): Promise<void> {
      const account = email.toLowerCase();
      await take('mail_from_place', `${networkOf(ip)} ${account}`);
      await take('mail', account);
    },
    /**
     * Guesses from elsewhere must not lock the owner out, so a place from which the account was signed in to is counted alone.
     * The same for addresses that have an account and those that have none.
     */
    async tryPassword(ip: string, email: string, is_known_place: boolean): Promise<void> {
      const account = email.toLowerCase();
      await take('password_from_place', `${networkOf(ip)} ${account}`);
      await take('password_from_place_in_an_hour', `${networkOf(ip)} ${account}`);
      if (!is_known_place) await take('password_from_strangers', account);
    },
    /** Whether one more failed sign-in is written down: an attacker must not be able to fill the audit log. */
    async mayAuditFailure(user_id: string | null): Promise<boolean> {
      const own = user_id === null ? ask('failure_of_unknown', '') : ask('failure_of_account', user_id);
      return (await own).allowed && (await ask('failure', '')).allowed;
    },
  };
}
export type AttemptLimits = ReturnType<typeof attemptLimits>;
