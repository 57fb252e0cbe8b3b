// What /readyz checks about mail: whether the transport can be reached.
import { cachedCheck, type Readiness } from '../../../platform/readiness.ts';

/** Shorter than the limit of a check, so that its reason is reported instead of the limit. */
const vendor_limit_ms = 4000;

export function mailReadiness(transport: { check?(signal: AbortSignal): Promise<void> } | null): Readiness {
  return {
    name: 'mail',
    only_for: ['mail'],
    check: cachedCheck(async () => {
      if (!transport) return 'not_configured';
      await transport.check?.(AbortSignal.timeout(vendor_limit_ms));
    }),
  };
}
