// Speech recognition behind any endpoint that speaks the OpenAI protocol.
import type { ProviderManifest } from '../../manifest.ts';

export const openaiCompatibleStt: ProviderManifest = {
  layer: 'stt',
  provider: 'openai_compatible',
  base_url: 'https://api.openai.com/v1',
  params: ['base_url', 'model', 'language'],
  probe: { path: '/models', headers: (api_key) => ({ authorization: `Bearer ${api_key}` }) },
};
