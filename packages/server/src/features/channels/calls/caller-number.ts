// Finds the number that a call is placed from. The choice is cached; the insert checks that it still holds.
import { batched } from '../../../platform/batch.ts';
import { ApiError } from '../../../platform/http/api-error.ts';
import type { GuardedCarriers } from '../../rules/admission/index.ts';
import type { NumbersFeature } from '../numbers/index.ts';

type VoiceNumber = { e164: string; provider: string };

const max_cached_organizations = 10_000;

export function callerNumbers(deps: {
  carriers: GuardedCarriers;
  numbers: Pick<NumbersFeature, 'voiceNumber' | 'oldestVoiceNumbers'>;
}) {
  const { carriers, numbers } = deps;
  const voice_carriers = carriers.names().filter((name) => carriers.byName(name)!.voice !== null);
  const cache = new Map<string, VoiceNumber | null>();

  /** Concurrent requests share one query. */
  const oldestNumber = batched<string, VoiceNumber | null>(async (organization_ids) => {
    const found = await numbers.oldestVoiceNumbers([...new Set(organization_ids)], voice_carriers);
    const by_organization = new Map(found.map((number) => [number.organization_id, number]));
    return organization_ids.map((organization_id) => by_organization.get(organization_id) ?? null);
  });

  return {
    voice_carriers,

    /** The number that the request names in `from`. */
    async named(organization_id: string, e164: string): Promise<VoiceNumber> {
      const number = await numbers.voiceNumber(organization_id, e164, voice_carriers);
      if (number) return number;
      throw new ApiError('from_not_allowed', {
        detail: '"from" is not an active number of yours that can place calls.',
        path: 'body.from',
      });
    },

    /** The organization's oldest number; null: one of the pool, when the call is dialed. `fresh` skips the cache. */
    async oldest(organization_id: string, { fresh }: { fresh: boolean }): Promise<VoiceNumber | null> {
      const cached = fresh ? undefined : cache.get(organization_id);
      if (cached !== undefined) return cached;
      const number = await oldestNumber(organization_id);
      if (!number && voice_carriers.length === 0) throw new ApiError('carrier_not_configured');
      if (cache.size >= max_cached_organizations) cache.clear();
      cache.set(organization_id, number);
      return number;
    },
  };
}
export type CallerNumbers = ReturnType<typeof callerNumbers>;
