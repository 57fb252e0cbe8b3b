// Describes a vendor of a speech layer: the settings it needs, how to check its key and how to open its engine.
import type { Dispatcher } from 'undici';
import type { z } from 'zod';
import type { ProviderManifest } from './manifest.ts';

export type Layer = 'llm' | 'stt' | 'tts';

export type VendorManifest<Engine, Params extends z.ZodType = z.ZodType> = {
  layer: Layer;
  provider: string;
  /** A description of one sentence, for the docs. */
  meaning: string;
  api_key: 'required' | 'optional' | 'none';
  /** Must be a strict object, so that a misspelled parameter is refused. */
  params: Params;
  /** A request below base_url without side effects: 2xx for a valid key, 401 or 403 for an invalid one. */
  probe: { path: string; headers(api_key: string, params?: Record<string, unknown>): Record<string, string> };
  /** `agent` must be the guarded one (platform/egress), because users supply addresses in the parameters. */
  open(deps: { agent: Dispatcher }, options: { api_key: string | null; params: z.output<Params> }): Engine;
};

/** Returns the manifest unchanged; it exists so that TypeScript infers the parameter types. */
export const defineVendor = <Engine, Params extends z.ZodType>(
  manifest: VendorManifest<Engine, Params>,
): VendorManifest<Engine, Params> => manifest;

/** The part of a vendor's manifest that is plain data, for the provider settings of an organization. */
export function providerManifest(vendor: VendorManifest<unknown, z.ZodObject>): ProviderManifest {
  const { layer, provider, params, probe } = vendor;
  const { base_url } = params.parse({}) as { base_url: string };
  return {
    layer,
    provider,
    needs_key: vendor.api_key === 'required',
    params: Object.keys(params.shape),
    base_url: overHttp(base_url),
    probe,
  };
}

/** Vendors with a WebSocket API are probed over HTTP. */
export const overHttp = (address: string): string => address.replace(/^ws/, 'http');
