// Settings and key check of ElevenLabs.
import { z } from 'zod';
import { defineVendor } from '../../vendor-manifest.ts';
import { elevenLabsDefaults, elevenLabsTts } from './index.ts';

export const manifest = defineVendor({
  layer: 'tts',
  provider: 'elevenlabs',
  meaning: 'ElevenLabs over its streaming endpoint.',
  api_key: 'required',
  params: z.strictObject({
    base_url: z
      .url({ protocol: /^https?$/ })
      .max(2048)
      .default(elevenLabsDefaults.base_url),
    model: z.string().min(1).max(200).default(elevenLabsDefaults.model),
    voice: z.string().min(1).max(200).default(elevenLabsDefaults.voice),
    speed: z.number().min(0.5).max(2).optional(),
  }),
  probe: { path: '/v1/user', headers: (api_key) => ({ 'xi-api-key': api_key }) },
  open: ({ agent }, { api_key, params }) =>
    elevenLabsTts({ agent, settings: { api_key: api_key ?? '', ...params } }),
});
