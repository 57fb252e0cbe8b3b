// A vendor of a speech layer described as data: what it needs to be set up, and how it is opened.
import type { Dispatcher } from 'undici';
import type { z } from 'zod';

export type Layer = 'llm' | 'stt' | 'tts';

export type VendorManifest<Engine, Params extends z.ZodType = z.ZodType> = {
  layer: Layer;
  provider: string;
  /** One sentence for the docs. */
  meaning: string;
  api_key: 'required' | 'optional' | 'none';
  /** Strict: a misspelled parameter is refused. */
  params: Params;
  /** `agent` is the guarded way out, because an address among the parameters comes from a user. */
  open(deps: { agent: Dispatcher }, given: { api_key: string | null; params: z.output<Params> }): Engine;
};

/** Keeps the types of the parameters while they are written down. */
export const defineVendor = <Engine, Params extends z.ZodType>(
  manifest: VendorManifest<Engine, Params>,
): VendorManifest<Engine, Params> => manifest;
