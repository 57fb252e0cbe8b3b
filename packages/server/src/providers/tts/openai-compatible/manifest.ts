// Settings and key check of an endpoint with the audio/speech protocol.
import { z } from 'zod';
import { defineVendor } from '../../vendor-manifest.ts';
import { openAiCompatibleTts } from './index.ts';

export const manifest = defineVendor({
  layer: 'tts',
  provider: 'openai-compatible',
  meaning: 'Any endpoint with POST /audio/speech that can return pcm: OpenAI, Kokoro and Piper servers.',
  api_key: 'optional',
  params: z.strictObject({
    base_url: z
      .url({ protocol: /^https?$/ })
      .max(2048)
      .default('https://api.openai.com/v1'),
    model: z.string().min(1).max(200).default('gpt-4o-mini-tts'),
    voice: z.string().min(1).max(200).default('alloy'),
    speed: z.number().min(0.5).max(2).optional(),
  }),
  probe: { path: '/models', headers: (api_key) => ({ authorization: `Bearer ${api_key}` }) },
  open: ({ agent }, { api_key, params }) => openAiCompatibleTts({ agent, settings: { api_key, ...params } }),
});
