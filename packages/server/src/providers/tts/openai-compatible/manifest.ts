// Voices behind any endpoint that speaks the OpenAI protocol.
import type { ProviderManifest } from '../../manifest.ts';

export const openaiCompatibleTts: ProviderManifest = {
  layer: 'tts',
  provider: 'openai_compatible',
  base_url: 'https://api.openai.com/v1',
  params: ['base_url', 'model', 'voice'],
  probe: { path: '/models', headers: (api_key) => ({ authorization: `Bearer ${api_key}` }) },
};
