// The API error for a request to the carrier that failed.
import { ApiError } from '../../../platform/http/api-error.ts';
import type { CarrierFailure } from '../../../providers/carrier/carrier-failure.ts';

/** The carrier's own message goes to the log only, because it may contain details of the operator's account. */
export const carrierTrouble = (trouble: CarrierFailure): ApiError =>
  new ApiError('carrier_unavailable', {
    retry_after_seconds: trouble.outcome === 'busy' ? Math.max(1, trouble.retry_after_seconds) : 5,
    internal: new Error(`${trouble.outcome}: ${trouble.detail}`),
  });
