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
const max_unknown_voices = 1000;
/** A voice may be created meanwhile. */
const unknown_voice_ms = 300_000;

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
  /** Until when a voice counts as unknown, so that not every clause waits for another refusal. */
  const unknown_until_ms = new Map<string, number>();
  const isUnknown = (voice: string) => performance.now() < (unknown_until_ms.get(voice) ?? 0);
  const requestWithFallbackVoice = async (speech: SpeechRequest) => {
    const { voice } = speech;
    if (voice === null || voice === default_voice || isUnknown(voice))
      return requestSpeech(speech, default_voice);
    try {
      return await requestSpeech(speech, voice);
    } catch (error) {
      // After a failover during the call the voice may be one of the vendor before.
      if (!(error instanceof ErrorStatus) || !unknown_voice_statuses.includes(error.status)) throw error;
      const response = await requestSpeech(speech, default_voice);
      // The text was not the reason.
      if (unknown_until_ms.size >= max_unknown_voices) unknown_until_ms.clear();
      unknown_until_ms.set(voice, performance.now() + unknown_voice_ms);
      return response;
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
