// STT vendor for any endpoint with the audio/transcriptions protocol. The whole turn is sent when its text is requested.
import { randomUUID } from 'node:crypto';
import type { Dispatcher } from 'undici';
import { z } from 'zod';
import { requestStream } from '../../../platform/egress/request-stream.ts';
import { joinPcm } from '../../../protocols/audio/join-pcm.ts';
import { wavHeader } from '../../../protocols/audio/wav.ts';
import { line_rate_hz, samplesOf } from '../../media/media-session.ts';
import { vendorFailure } from '../../vendor-failure.ts';
import { type Stt, SttFailed } from '../stt.ts';

export type OpenAiTranscriptionSettings = {
  /** Including the version: https://api.openai.com/v1 */
  base_url: string;
  api_key: string | null;
  model: string;
  /** Words that are likely to be said, such as names. */
  keywords?: string[] | undefined;
};

const max_response_bytes = 256 * 1024;
/** Audio after this limit is ignored: nobody speaks that long without a pause. */
const max_turn_samples = samplesOf(120_000);
const Transcription = z.object({ text: z.string() });

export function openAiCompatibleStt(deps: { agent: Dispatcher; settings: OpenAiTranscriptionSettings }): Stt {
  const { agent, settings } = deps;
  const url = new URL(`${settings.base_url.replace(/\/+$/, '')}/audio/transcriptions`);

  const transcribe = async (speech: Int16Array, language: string, signal: AbortSignal): Promise<string> => {
    const boundary = `parley-${randomUUID()}`;
    try {
      const { body } = await requestStream(agent, {
        url,
        headers: {
          'content-type': `multipart/form-data; boundary=${boundary}`,
          ...(settings.api_key && { authorization: `Bearer ${settings.api_key}` }),
        },
        body: form(boundary, fieldsOf(settings, language), wav(speech)),
        signal,
        max_response_bytes,
      });
      const chunks: Buffer[] = [];
      for await (const chunk of body) chunks.push(chunk);
      return readText(Buffer.concat(chunks).toString('utf8'));
    } catch (error) {
      const failure = vendorFailure(error);
      throw failure ? new SttFailed(failure.message, { ...failure, cause: error }) : error;
    }
  };

  return {
    name: 'openai-compatible',
    capabilities: { streaming: false, languages: null },
    ready: async () => {},
    open({ language }) {
      let turn = new AbortController();
      let chunks: Int16Array[] = [];
      let length = 0;
      let last: { length: number; text: Promise<string> } | null = null;
      const nextTurn = () => {
        turn.abort(new SttFailed('The turn is over.', { retryable: false }));
        turn = new AbortController();
        chunks = [];
        length = 0;
        last = null;
      };
      return {
        push(pcm) {
          if (length >= max_turn_samples) return;
          chunks.push(pcm.slice());
          length += pcm.length;
        },
        async text() {
          if (length === 0) return '';
          if (last?.length !== length) {
            const text = transcribe(joinPcm(chunks), language, turn.signal);
            text.catch(() => {});
            last = { length, text };
          }
          return last.text;
        },
        nextTurn,
        close: nextTurn,
      };
    },
    isBehind: () => false,
    close: async () => {},
  };
}

/** The protocol has no list of words; a prompt that contains them has the same effect. */
const fieldsOf = ({ model, keywords }: OpenAiTranscriptionSettings, language: string) => ({
  model,
  language,
  response_format: 'json',
  ...(keywords?.length && { prompt: keywords.join(', ') }),
});

function wav(speech: Int16Array): Buffer {
  const data = Buffer.from(speech.buffer, speech.byteOffset, speech.byteLength);
  return Buffer.concat([wavHeader({ rate_hz: line_rate_hz, channels: 1, data_bytes: data.length }), data]);
}

/** The body of a multipart/form-data request (RFC 7578). */
function form(boundary: string, fields: Record<string, string>, file: Buffer): Buffer {
  const head = Object.entries(fields)
    .map(
      ([name, value]) =>
        `--${boundary}\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
    )
    .join('');
  const file_head = `--${boundary}\r\ncontent-disposition: form-data; name="file"; filename="speech.wav"\r\ncontent-type: audio/wav\r\n\r\n`;
  return Buffer.concat([Buffer.from(head + file_head), file, Buffer.from(`\r\n--${boundary}--\r\n`)]);
}

function readText(body: string): string {
  try {
    return Transcription.parse(JSON.parse(body)).text.trim();
  } catch (cause) {
    throw new SttFailed('sent a response that is not a transcription', { retryable: false, cause });
  }
}
