// TTS vendor ElevenLabs, over its streaming endpoint.
import type { Dispatcher } from 'undici';
import { httpSpeech } from '../http-speech.ts';
import type { Tts } from '../tts.ts';

export type ElevenLabsSettings = {
  base_url: string;
  api_key: string;
  model: string;
  voice: string;
  /** 1 is the normal speed. */
  speed?: number | undefined;
};

/** The vendor refuses others. */
const speeds = { min: 0.7, max: 1.2 };

export const elevenLabsDefaults = {
  base_url: 'https://api.elevenlabs.io',
  model: 'eleven_flash_v2_5',
  voice: 'JBFqnCBsd6RMkjVDRZzb',
} as const;

const rate_hz = 16_000;

export function elevenLabsTts(deps: { agent: Dispatcher; settings: ElevenLabsSettings }): Tts {
  const { agent, settings } = deps;
  return httpSpeech({
    name: 'elevenlabs',
    agent,
    rate_hz,
    default_voice: settings.voice,
    request(text, voice) {
      const url = new URL(`/v1/text-to-speech/${encodeURIComponent(voice)}/stream`, settings.base_url);
      url.searchParams.set('output_format', `pcm_${rate_hz}`);
      const body = { text, model_id: settings.model, ...speedOf(settings) };
      return { url, headers: { 'xi-api-key': settings.api_key }, body };
    },
  });
}

const speedOf = ({ speed }: ElevenLabsSettings) =>
  speed === undefined ? {} : { voice_settings: { speed: Math.min(speeds.max, Math.max(speeds.min, speed)) } };
