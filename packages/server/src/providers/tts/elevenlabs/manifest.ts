// ElevenLabs: voices.
import type { ProviderManifest } from '../../manifest.ts';

export const elevenlabsTts: ProviderManifest = {
  layer: 'tts',
  provider: 'elevenlabs',
  base_url: 'https://api.elevenlabs.io/v1',
  params: ['model', 'voice'],
  probe: { path: '/user', headers: (api_key) => ({ 'xi-api-key': api_key }) },
};
