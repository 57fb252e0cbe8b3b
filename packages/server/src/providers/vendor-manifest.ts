// A vendor of a speech layer described as data: what it needs to be set up, and how it is opened.
import type { Dispatcher } from 'undici';
import type { z } from 'zod';
import type { ProviderManifest } from './manifest.ts';

export type Layer = 'llm' | 'stt' | 'tts';

export type VendorManifest<Engine, Params extends z.ZodType = z.ZodType> = {
  layer: Layer;
  provider: string;
  /** One sentence for the docs. */
  meaning: string;
  api_key: 'required' | 'optional' | 'none';
  /** Strict: a misspelled parameter is refused. */
  params: Params;
  /** A harmless request below base_url that answers 2xx to a good key and 401 or 403 to a bad one. */
  probe: { path: string; headers(api_key: string): Record<string, string> };
  /** `agent` is the guarded way out, because an address among the parameters comes from a user. */
  open(deps: { agent: Dispatcher }, given: { api_key: string | null; params: z.output<Params> }): Engine;
};

/** Keeps the types of the parameters while they are written down. */
export const defineVendor = <Engine, Params extends z.ZodType>(
  manifest: VendorManifest<Engine, Params>,
): VendorManifest<Engine, Params> => manifest;

/** What the settings of an organization need to know of a vendor: the part that is plain data. */
export function settingsOf(vendor: VendorManifest<unknown, z.ZodObject>): ProviderManifest {
  const { layer, provider, params, probe } = vendor;
  const { base_url } = params.parse({}) as { base_url: string };
  return { layer, provider, params: Object.keys(params.shape), base_url: overHttp(base_url), probe };
}

/** A vendor spoken to over a WebSocket is probed over HTTP. */
export const overHttp = (address: string): string => address.replace(/^ws/, 'http');
