// What a provider of language, hearing or voice says about itself as data: settings, and how to ask whether a key works.
import type { ProviderLayer } from '@parley/contract/providers';

export type ProviderManifest = {
  layer: ProviderLayer;
  /** How callers name it. */
  provider: string;
  /** Where its API is, unless the caller's own base_url says otherwise. */
  base_url: string;
  /** What `params` may hold. */
  params: readonly string[];
  /** A harmless request that answers 2xx to a good key and 401 or 403 to a bad one. */
  probe: { path: string; headers(api_key: string): Record<string, string> };
};
