// Asks the carrier what it wants to know. Requirements change, so they are never a table of ours.

import type { NumberType } from '@parley/contract/channels/numbers/numbers';
import type {
  RequirementSet,
  VerificationKind,
} from '@parley/contract/channels/numbers/verification-records';
import { ApiError } from '../../../platform/http/api-error.ts';
import { keyedTtlCache } from '../../../platform/ttl-cache.ts';
import type { CarrierFailure } from '../../../providers/carrier/carrier-failure.ts';
import type { RegistrationPort, RegistrationQuery } from '../../../providers/carrier/registration.ts';
import type { GuardedCarrier, GuardedCarriers } from '../../rules/admission/index.ts';
import type { Funds } from '../../rules/funds/index.ts';
import type { StoredSet } from './verification-row.ts';

const cache_ms = 24 * 3_600_000;

/** The carrier's own message goes to the log only, because it may contain details of the operator's account. */
export const carrierTrouble = (trouble: CarrierFailure): ApiError =>
  new ApiError('carrier_unavailable', {
    retry_after_seconds: trouble.outcome === 'busy' ? Math.max(1, trouble.retry_after_seconds) : 5,
    internal: new Error(`${trouble.outcome}: ${trouble.detail}`),
  });

export function activeCarrier(carriers: GuardedCarriers): GuardedCarrier {
  if (!carriers.active) throw new ApiError('carrier_not_configured');
  return carriers.active;
}

/** The port of a carrier that registers this kind. */
export function portFor(carrier: GuardedCarrier, kind: VerificationKind): RegistrationPort {
  const port = carrier.registration;
  if (!port || port.kinds.length === 0) throw new ApiError('verification_not_supported');
  if (!port.kinds.includes(kind)) throw new ApiError('kind_not_supported');
  return port;
}

/** The country and number type of a kind, where the request does not say them. */
export const placeOf = (
  kind: VerificationKind,
  asked: { country_code?: string; number_type?: NumberType },
) =>
  kind === 'number'
    ? { country_code: asked.country_code ?? 'US', number_type: asked.number_type ?? 'local' }
    : { country_code: 'US', number_type: kind === 'toll_free' ? ('toll_free' as const) : ('local' as const) };

/** What the operator charges replaces the fee of the carrier, which the organization does not pay itself. */
export function requirementReader({
  funds,
  fees,
}: {
  funds: Pick<Funds, 'charging'>;
  /** What the operator charges for a verification, in cents; 0 is free. */
  fees: Readonly<Record<VerificationKind, number>>;
}) {
  const cache = keyedTtlCache<Awaited<ReturnType<RegistrationPort['requirements']>>>({
    max_age_ms: cache_ms,
    max_entries: 1000,
  });

  return {
    /** `fresh` asks the carrier again: at a submission the requirements may have changed. */
    async read(carrier: GuardedCarrier, query: RegistrationQuery, fresh = false): Promise<RequirementSet> {
      const port = portFor(carrier, query.kind);
      const key = JSON.stringify([carrier.name, query]);
      if (fresh) cache.forget(key);
      const found = await cache.get(key, () => port.requirements(query));
      const { kind, country_code, number_type } = query;
      const place = { provider: carrier.name, kind, country_code, number_type };
      switch (found.outcome) {
        case 'found':
          return {
            ...place,
            needed: true,
            ...found.set,
            ...(funds.charging && fees[kind] > 0 && { fee_cents: fees[kind] }),
          };
        case 'not_needed':
          return {
            ...place,
            needed: false,
            subject_types: [],
            review_days: null,
            fee_cents: null,
            requirements: [],
          };
        case 'not_supported':
          throw new ApiError('kind_not_supported', { detail: found.detail });
        default:
          // A failure is not kept.
          cache.forget(key);
          throw carrierTrouble(found);
      }
    },
  };
}
export type RequirementReader = ReturnType<typeof requirementReader>;

/** The part that is stored with a verification. Refuses a verification that the carrier does not need. */
export function storedSet(set: RequirementSet): StoredSet {
  if (!set.needed) throw new ApiError('verification_not_needed');
  const { requirements, review_days, fee_cents } = set;
  return { requirements, review_days, fee_cents };
}
