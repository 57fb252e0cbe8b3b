// Settings and key check of an endpoint with the audio/transcriptions protocol.
import { z } from 'zod';
import { defineVendor } from '../../vendor-manifest.ts';
import { openAiCompatibleStt } from './index.ts';

export const manifest = defineVendor({
  layer: 'stt',
  provider: 'openai-compatible',
  meaning:
    'Any endpoint with POST /audio/transcriptions: OpenAI, Groq, whisper servers. Transcribes a turn when it is over.',
  api_key: 'optional',
  params: z.strictObject({
    base_url: z
      .url({ protocol: /^https?$/ })
      .max(2048)
      .default('https://api.openai.com/v1'),
    model: z.string().min(1).max(200).default('whisper-1'),
    keywords: z.array(z.string().min(1).max(60)).max(50).optional(),
  }),
  probe: { path: '/models', headers: (api_key) => ({ authorization: `Bearer ${api_key}` }) },
  open: ({ agent }, { api_key, params }) => openAiCompatibleStt({ agent, settings: { api_key, ...params } }),
});
