// How a request to a carrier ends when it does not succeed.

/**
 * `busy`: the carrier did nothing; the same request may be retried later. `refused`: the carrier said no.
 * `lost`: unknown, the request may have been executed; look it up before a retry.
 */
export type CarrierFailure =
  | { outcome: 'busy'; retry_after_seconds: number; detail: string }
  | { outcome: 'refused'; code: string; detail: string }
  | { outcome: 'lost'; detail: string };
