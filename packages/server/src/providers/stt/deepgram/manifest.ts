// Deepgram: streaming speech recognition.
import type { ProviderManifest } from '../../manifest.ts';

export const deepgramStt: ProviderManifest = {
  layer: 'stt',
  provider: 'deepgram',
  base_url: 'https://api.deepgram.com/v1',
  params: ['model', 'language'],
  probe: { path: '/projects', headers: (api_key) => ({ authorization: `Token ${api_key}` }) },
};
