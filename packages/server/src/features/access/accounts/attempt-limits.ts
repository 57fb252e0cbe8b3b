// Rate limits for clients that guess passwords and codes or make the service send mail, counted over all processes.
import { sha256Base64url } from '../../../platform/crypto.ts';
import type { Database } from '../../../platform/db/database.ts';
import { ApiError } from '../../../platform/http/api-error.ts';
import { networkOf } from '../../../platform/http/client-network.ts';
import { rateLimiter } from '../../../platform/rate-limit.ts';

/** A network is an IPv4 address or an IPv6 /64. */
const rate_limits = {
  /** Passwords tried for one account from one network. */
  password_from_network: { limit: 5, minutes: 1 },
  password_from_network_in_an_hour: { limit: 60, minutes: 60 },
  /** Passwords tried for one account from all networks together from which the account never signed in. */
  password_from_unknown_networks: { limit: 20, minutes: 60 },
  /** Device codes that one user enters. */
  device_code_entered: { limit: 5, minutes: 1 },
  /** All requests of one network to the account pages. */
  request: { limit: 60, minutes: 1 },
  /** Device logins that one network starts, accounts that it creates, and clients that it registers. */
  creation: { limit: 20, minutes: 1 },
  /** Mail to one address requested by one network, and by all networks together. */
  mail_from_network: { limit: 5, minutes: 60 },
  mail: { limit: 10, minutes: 60 },
  /** Failed sign-ins in the audit log: of one account, of addresses without an account, and of all. */
  failure_of_account: { limit: 10, minutes: 60 },
  failure_of_unknown: { limit: 20, minutes: 60 },
  failure: { limit: 200, minutes: 60 },
} as const;
type Kind = keyof typeof rate_limits;

export function attemptLimits(deps: { db: Database }) {
  const limiters = Object.fromEntries(
    Object.entries(rate_limits).map(([kind, { limit, minutes }]) => [
      kind,
      rateLimiter({ db: deps.db, limit_per_minute: limit, window_ms: minutes * 60_000 }),
    ]),
  ) as Record<Kind, ReturnType<typeof rateLimiter>>;

  // The subject is hashed, so that the table of counters contains no personal data.
  const count = (kind: Kind, subject: string) =>
    limiters[kind].take(`auth:${kind}:${sha256Base64url(subject)}`);

  const countOrThrow = async (kind: Kind, subject: string): Promise<void> => {
    const verdict = await count(kind, subject);
    if (!verdict.allowed) {
      throw new ApiError('rate_limited', {
        detail: 'Too many attempts.',
        retry_after_seconds: verdict.retry_after_seconds,
        rate_limit: { ...verdict, remaining: 0 },
      });
    }
  };

  return {
    countRequest: (ip: string) => countOrThrow('request', networkOf(ip)),
    countCreation: (ip: string) => countOrThrow('creation', networkOf(ip)),
    countDeviceCode: (user_id: string) => countOrThrow('device_code_entered', user_id),
    /** Counts the same for addresses with and without an account. */
    async countMail(ip: string, email: string): Promise<void> {
      const account = email.toLowerCase();
      await countOrThrow('mail_from_network', `${networkOf(ip)} ${account}`);
      await countOrThrow('mail', account);
    },
    /**
     * Guesses from other networks must not lock the owner out, so a network from which the account signed in before has
     * only its own limit. Counts the same for addresses with and without an account.
     */
    async countPassword(ip: string, email: string, is_known_network: boolean): Promise<void> {
      const account = email.toLowerCase();
      await countOrThrow('password_from_network', `${networkOf(ip)} ${account}`);
      await countOrThrow('password_from_network_in_an_hour', `${networkOf(ip)} ${account}`);
      if (!is_known_network) await countOrThrow('password_from_unknown_networks', account);
    },
    /** Whether one more failed sign-in is logged: an attacker must not be able to fill the audit log. */
    async mayAuditFailure(user_id: string | null): Promise<boolean> {
      const failure_count =
        user_id === null ? count('failure_of_unknown', '') : count('failure_of_account', user_id);
      return (await failure_count).allowed && (await count('failure', '')).allowed;
    },
  };
}
export type AttemptLimits = ReturnType<typeof attemptLimits>;
