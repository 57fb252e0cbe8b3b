// Cartesia: voices.
import type { ProviderManifest } from '../../manifest.ts';

export const cartesiaTts: ProviderManifest = {
  layer: 'tts',
  provider: 'cartesia',
  base_url: 'https://api.cartesia.ai',
  params: ['model', 'voice'],
  probe: {
    path: '/voices',
    headers: (api_key) => ({ authorization: `Bearer ${api_key}`, 'cartesia-version': '2025-04-16' }),
  },
};
