// Settings and key check of Deepgram.
import { z } from 'zod';
import { defineVendor } from '../../vendor-manifest.ts';
import { deepgramDefaults, deepgramStt } from './index.ts';

export const manifest = defineVendor({
  layer: 'stt',
  provider: 'deepgram',
  meaning: 'Deepgram over its WebSocket: transcribes while the person speaks.',
  api_key: 'required',
  params: z.strictObject({
    base_url: z
      .url({ protocol: /^wss?$/ })
      .max(2048)
      .default(deepgramDefaults.base_url),
    model: z.string().min(1).max(200).default(deepgramDefaults.model),
    keywords: z.array(z.string().min(1).max(60)).max(50).optional(),
  }),
  probe: { path: '/projects', headers: (api_key) => ({ authorization: `Token ${api_key}` }) },
  open: ({ agent }, { api_key, params }) =>
    deepgramStt({ agent, settings: { api_key: api_key ?? '', ...params } }),
});
