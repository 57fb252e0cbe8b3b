// TTS vendor for any endpoint with the audio/speech protocol.
import type { Dispatcher } from 'undici';
import { httpSpeech } from '../http-speech.ts';
import type { Tts } from '../tts.ts';

export type OpenAiSpeechSettings = {
  /** Including the version: https://api.openai.com/v1 */
  base_url: string;
  api_key: string | null;
  model: string;
  voice: string;
  /** 1 is the normal speed. */
  speed?: number | undefined;
};

export function openAiCompatibleTts(deps: { agent: Dispatcher; settings: OpenAiSpeechSettings }): Tts {
  const { agent, settings } = deps;
  const url = new URL(`${settings.base_url.replace(/\/+$/, '')}/audio/speech`);
  return httpSpeech({
    name: 'openai-compatible',
    agent,
    // The protocol defines this rate for `pcm`.
    rate_hz: 24_000,
    default_voice: settings.voice,
    request: (input, voice) => ({
      url,
      headers: settings.api_key ? { authorization: `Bearer ${settings.api_key}` } : {},
      body: {
        model: settings.model,
        voice,
        input,
        response_format: 'pcm',
        ...(settings.speed !== undefined && { speed: settings.speed }),
      },
    }),
  });
}
