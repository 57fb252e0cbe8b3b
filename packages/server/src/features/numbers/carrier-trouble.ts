// What a caller is told when the carrier could not do its part.
import { ApiError } from '../../platform/http/api-error.ts';
import type { CarrierFailure } from '../../providers/carrier/carrier.ts';

/** The carrier's own words go to the log only: they may name things of the account. */
export const carrierTrouble = (trouble: CarrierFailure): ApiError =>
  new ApiError('carrier_unavailable', {
    retry_after_seconds: trouble.outcome === 'busy' ? Math.max(1, trouble.retry_after_seconds) : 5,
    internal: new Error(`${trouble.outcome}: ${trouble.detail}`),
  });
