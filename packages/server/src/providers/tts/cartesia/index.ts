// TTS vendor Cartesia, over its endpoint that streams raw audio.
import type { Dispatcher } from 'undici';
import { httpSpeech } from '../http-speech.ts';
import type { Tts } from '../tts.ts';

export type CartesiaSettings = {
  base_url: string;
  api_key: string;
  model: string;
  voice: string;
  /** 1 is the normal speed. */
  speed?: number | undefined;
};

/** The vendor refuses others. */
const speeds = { min: 0.6, max: 1.5 };

export const cartesiaDefaults = {
  base_url: 'https://api.cartesia.ai',
  model: 'sonic-3',
  voice: '694f9389-aac1-45b6-b726-9d9369183238',
} as const;

/** The rate of a telephone line, so that nothing has to be converted. */
const rate_hz = 8000;

export const cartesiaHeaders = (api_key: string): Record<string, string> => ({
  'x-api-key': api_key,
  'cartesia-version': '2026-03-01',
});

export function cartesiaTts(deps: { agent: Dispatcher; settings: CartesiaSettings }): Tts {
  const { agent, settings } = deps;
  return httpSpeech({
    name: 'cartesia',
    agent,
    rate_hz,
    default_voice: settings.voice,
    request: (text, voice, language) => ({
      url: new URL(`${settings.base_url.replace(/\/+$/, '')}/tts/bytes`),
      headers: cartesiaHeaders(settings.api_key),
      body: {
        model_id: settings.model,
        transcript: text,
        voice: { mode: 'id', id: voice },
        language,
        output_format: { container: 'raw', encoding: 'pcm_s16le', sample_rate: rate_hz },
        ...speedOf(settings),
      },
    }),
  });
}

const speedOf = ({ speed }: CartesiaSettings) =>
  speed === undefined
    ? {}
    : { generation_config: { speed: Math.min(speeds.max, Math.max(speeds.min, speed)) } };
