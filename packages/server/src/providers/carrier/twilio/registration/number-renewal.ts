// Renews earlier bundles with the items of a new one: numbers belong to the bundle that they were bought with.
import { misconfigured } from '../../carrier-http.ts';
import type { AdvanceResult } from '../../registration.ts';
import { readProgress, storedProgress } from './number-progress.ts';
import type { StepContext } from './number-step.ts';
import { compliance_path } from './regulations.ts';

/** The bundles that the request renews. */
export const renewedBundles = ({ request, progress }: Pick<StepContext, 'request' | 'progress'>): string[] =>
  (request.renews ?? []).flatMap((each) => {
    const { bundle } = readProgress(each);
    return bundle && bundle !== progress.bundle ? [bundle] : [];
  });

/**
 * Null when nothing is left to renew. Safe to repeat. A bundle that Twilio does not let us renew keeps its own date; the new
 * approval holds anyway.
 */
export async function renewalStep({ api, progress }: StepContext): Promise<AdvanceResult | null> {
  const [bundle, ...renews] = progress.renews;
  if (bundle === undefined) return null;
  const path = `${compliance_path}/Bundles/${bundle}/ReplaceItems`;
  const response = await api.host('numbers').post(path, { FromBundleSid: progress.bundle! });
  if (response.outcome !== 'response') return response;
  if (response.status === 401 || response.status === 403) return misconfigured(response.status);
  return { outcome: 'step', progress: storedProgress({ ...progress, renews }) };
}
