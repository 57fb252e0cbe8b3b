// Describes a speech or language provider as data: its settings, and a request that checks an API key.
import type { ProviderLayer } from '@parley/contract/access/providers';

export type ProviderManifest = {
  layer: ProviderLayer;
  /** The name that API clients use. */
  provider: string;
  /** Default address of its API; an organization may set its own base_url. */
  base_url: string;
  needs_key: boolean;
  /** The names allowed in `params`. */
  params: readonly string[];
  /** A request without side effects: 2xx for a valid key, 401 or 403 for an invalid one. */
  probe: { path: string; headers(api_key: string, params?: Record<string, unknown>): Record<string, string> };
};
