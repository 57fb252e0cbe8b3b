// Tells whether a request to a vendor may be tried again, whatever kind of failure it was.
import { RequestFailed } from '../platform/egress/request-once.ts';
import { ErrorStatus } from '../platform/egress/request-stream.ts';

export type VendorFailure = { message: string; retryable: boolean };

/** Null for errors that are not the vendor's: our own, or a request that nobody wants any more. */
export function vendorFailure(error: unknown): VendorFailure | null {
  if (error instanceof ErrorStatus) return { message: error.message, retryable: error.retryable };
  if (error instanceof RequestFailed) {
    return { message: error.message, retryable: error.reason !== 'target_not_allowed' };
  }
  return null;
}
