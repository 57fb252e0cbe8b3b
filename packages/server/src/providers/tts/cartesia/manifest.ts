// Settings and key check of Cartesia.
import { z } from 'zod';
import { defineVendor } from '../../vendor-manifest.ts';
import { cartesiaDefaults, cartesiaHeaders, cartesiaTts } from './index.ts';

export const manifest = defineVendor({
  layer: 'tts',
  provider: 'cartesia',
  meaning: 'Cartesia over its endpoint that streams raw audio.',
  api_key: 'required',
  params: z.strictObject({
    base_url: z
      .url({ protocol: /^https?$/ })
      .max(2048)
      .default(cartesiaDefaults.base_url),
    model: z.string().min(1).max(200).default(cartesiaDefaults.model),
    voice: z.string().min(1).max(200).default(cartesiaDefaults.voice),
    speed: z.number().min(0.5).max(2).optional(),
  }),
  probe: { path: '/voices?limit=1', headers: cartesiaHeaders },
  open: ({ agent }, { api_key, params }) =>
    cartesiaTts({ agent, settings: { api_key: api_key ?? '', ...params } }),
});
