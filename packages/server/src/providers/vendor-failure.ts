// Translates a failed request to a vendor: what went wrong, and whether a retry may succeed.
import { RequestFailed } from '../platform/egress/request-once.ts';
import { ErrorStatus } from '../platform/egress/request-stream.ts';

export type VendorFailure = { message: string; retryable: boolean };

/** Null for errors that are not the vendor's: our own errors and aborted requests. */
export function vendorFailure(error: unknown): VendorFailure | null {
  if (error instanceof ErrorStatus) return { message: error.message, retryable: error.retryable };
  if (error instanceof RequestFailed) {
    return { message: error.message, retryable: error.reason !== 'target_not_allowed' };
  }
  return null;
}
