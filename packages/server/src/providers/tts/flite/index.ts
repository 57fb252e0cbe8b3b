// TTS vendor flite: a small, simple English voice that runs on this machine. Needs no account.
import { lazy } from '../../../platform/lazy.ts';
import { requireSpeech } from '../../../platform/package-file.ts';
import { ThreadFailed, threadPool } from '../../../platform/thread-pool.ts';
import { type Tts, TtsFailed } from '../tts.ts';
import type { SpeechTask } from './worker.ts';

const voices = ['kal16', 'rms', 'slt', 'awb'] as const;

export function fliteTts(): Tts {
  const pool = threadPool<SpeechTask, Int16Array>({
    name: 'tts',
    file: new URL('./worker.ts', import.meta.url),
    threads: 1,
    max_waiting: 200,
  });
  const speak = async (text: string, voice: string, signal?: AbortSignal) => {
    try {
      return await pool.run({ text: forFlite(text), voice }, { signal });
    } catch (error) {
      if (!(error instanceof ThreadFailed)) throw error;
      throw new TtsFailed(error.message, { retryable: error.reason !== 'task_failed', cause: error });
    }
  };
  return {
    name: 'flite',
    capabilities: { streaming: false, languages: ['en'], voices },
    ready: lazy(async () => {
      requireSpeech();
      await speak('ready', voices[0]);
    }),
    async *speak({ text, voice, signal }) {
      if (!/[\p{L}\p{N}]/u.test(text)) return;
      const sound = await speak(text, voices.find((name) => name === voice) ?? voices[0], signal);
      if (sound.length > 0) yield sound;
    },
    close: pool.close,
  };
}

/** flite reads a text without a space as a file name, and pronounces AI as a word. */
const forFlite = (text: string): string => ` ${text.replaceAll(/\bAI\b/g, 'A I')} `;
