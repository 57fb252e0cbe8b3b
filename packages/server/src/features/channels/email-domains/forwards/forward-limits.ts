// Limits confirmation mails per day: per address and organization, per organization, and per address over all organizations.
import { sha256Base64url } from '../../../../platform/crypto.ts';
import type { Database } from '../../../../platform/db/database.ts';
import { ApiError } from '../../../../platform/http/api-error.ts';
import { rateLimiter, type Verdict } from '../../../../platform/rate-limit.ts';

const day_ms = 86_400_000;
const per_day = { own_address: 3, organization: 50, address: 10 } as const;

export type LimitForwardRequest = (
  organization_id: string,
  address_key: string,
) => Promise<{ outcome: 'allow' | 'skip' } | { outcome: 'refuse'; error: ApiError }>;

/** `skip`: other organizations sent too many mails to the address. The caller must not learn that. */
export function forwardRequestLimits(db: Database): LimitForwardRequest {
  const dailyLimit = (limit: number) => rateLimiter({ db, limit_per_minute: limit, window_ms: day_ms });
  const limiters = {
    own_address: dailyLimit(per_day.own_address),
    organization: dailyLimit(per_day.organization),
    address: dailyLimit(per_day.address),
  };
  return async (organization_id, address_key) => {
    // Hashed, so that the table of counters contains no personal data.
    const address = sha256Base64url(address_key);
    const own = await limiters.own_address.take(`forward:${organization_id}:${address}`);
    if (!own.allowed) return { outcome: 'refuse', error: rateLimited(own) };
    const all = await limiters.organization.take(`forward:${organization_id}`);
    if (!all.allowed) return { outcome: 'refuse', error: rateLimited(all) };
    return { outcome: (await limiters.address.take(`forward::${address}`)).allowed ? 'allow' : 'skip' };
  };
}

const rateLimited = (verdict: Verdict) =>
  new ApiError('rate_limited', {
    detail: 'Too many confirmation mails today.',
    retry_after_seconds: verdict.retry_after_seconds,
    rate_limit: { ...verdict, remaining: 0 },
  });
