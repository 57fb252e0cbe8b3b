// What voices behind HTTP have in common: a request a clause, raw samples back.
import type { Dispatcher } from 'undici';
import { ErrorStatus, requestStream } from '../../platform/egress/request-stream.ts';
import { vendorFailure } from '../vendor-failure.ts';
import { pcmFromBytes } from './pcm-from-bytes.ts';
import { type SpeechRequest, type Tts, TtsFailed } from './tts.ts';

export type HttpVoice = {
  name: string;
  agent: Dispatcher;
  /** Of the 16-bit little-endian samples in the answer. */
  rate_hz: number;
  default_voice: string;
  request(text: string, voice: string): { url: URL; headers: Record<string, string>; body: object };
};

const max_response_bytes = 16 * 1024 * 1024;
const says_unknown_voice = [400, 404, 422];

export function httpSpeech({ name, agent, rate_hz, default_voice, request }: HttpVoice): Tts {
  const ask = (text: string, voice: string, signal: AbortSignal) => {
    const { url, headers, body } = request(text, voice);
    return requestStream(agent, {
      url,
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
      signal,
      max_response_bytes,
    });
  };
  const askInSomeVoice = async ({ text, voice, signal }: SpeechRequest) => {
    try {
      return await ask(text, voice ?? default_voice, signal);
    } catch (error) {
      // The name may be another vendor's, from before this one took over.
      const is_unknown = error instanceof ErrorStatus && says_unknown_voice.includes(error.status);
      if (!is_unknown || voice === null || voice === default_voice) throw error;
      return ask(text, default_voice, signal);
    }
  };

  return {
    name,
    capabilities: { streaming: true, languages: null, voices: [] },
    ready: async () => {},
    async *speak(speech) {
      if (speech.text.trim() === '') return;
      try {
        const { body } = await askInSomeVoice(speech);
        yield* pcmFromBytes(body, rate_hz);
      } catch (error) {
        const failure = vendorFailure(error);
        throw failure ? new TtsFailed(failure.message, { ...failure, cause: error }) : error;
      }
    },
    close: async () => {},
  };
}
