// The shared part of TTS vendors with an HTTP API: one request per clause, raw PCM samples in the response.
import type { Dispatcher } from 'undici';
import { ErrorStatus, requestStream } from '../../platform/egress/request-stream.ts';
import { vendorFailure } from '../vendor-failure.ts';
import { pcmFromBytes } from './pcm-from-bytes.ts';
import { type SpeechRequest, type Tts, TtsFailed } from './tts.ts';

export type HttpSpeechOptions = {
  name: string;
  agent: Dispatcher;
  /** Sample rate of the 16-bit little-endian samples in the response. */
  rate_hz: number;
  default_voice: string;
  request(
    text: string,
    voice: string,
    language: string,
  ): { url: URL; headers: Record<string, string>; body: object };
};

const max_response_bytes = 16 * 1024 * 1024;
/** Statuses that may mean "unknown voice". */
const unknown_voice_statuses = [400, 404, 422];

export function httpSpeech({ name, agent, rate_hz, default_voice, request }: HttpSpeechOptions): Tts {
  const requestSpeech = ({ text, language, signal }: SpeechRequest, voice: string) => {
    const { url, headers, body } = request(text, voice, language);
    return requestStream(agent, {
      url,
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
      signal,
      max_response_bytes,
    });
  };
  const requestWithFallbackVoice = async (speech: SpeechRequest) => {
    const { voice } = speech;
    try {
      return await requestSpeech(speech, voice ?? default_voice);
    } catch (error) {
      // The voice may be one of another vendor that this one replaced during the call.
      const is_unknown = error instanceof ErrorStatus && unknown_voice_statuses.includes(error.status);
      if (!is_unknown || voice === null || voice === default_voice) throw error;
      return requestSpeech(speech, default_voice);
    }
  };

  return {
    name,
    capabilities: { streaming: true, languages: null, voices: [] },
    ready: async () => {},
    async *speak(speech) {
      if (speech.text.trim() === '') return;
      try {
        const { body } = await requestWithFallbackVoice(speech);
        yield* pcmFromBytes(body, rate_hz);
      } catch (error) {
        const failure = vendorFailure(error);
        throw failure ? new TtsFailed(failure.message, { ...failure, cause: error }) : error;
      }
    },
    close: async () => {},
  };
}
