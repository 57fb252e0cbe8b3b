// Moonshine tiny: recognises English on this machine, with weights that come with the packages.
import { lazy } from '../../../platform/lazy.ts';
import { ThreadFailed, threadPool } from '../../../platform/thread-pool.ts';
import { joinPcm } from '../../../protocols/audio/join-pcm.ts';
import { samplesOf } from '../../media/media-session.ts';
import { type Stt, SttFailed } from '../stt.ts';
import { quietestMoment } from './quietest-moment.ts';

// A long turn is worked off while it lasts, in pieces cut where the speaker paused.
const piece = { longest: samplesOf(6000), shortest: samplesOf(2500), untouched: samplesOf(600) };
export function moonshineStt(options: {
  threads: number;
  /** How long a question may wait before new calls are held back. */
  most_lag_ms?: number;
}): Stt {
  const { most_lag_ms = 1000 } = options;
  const pool = threadPool<Int16Array, string>({
    file: new URL('./worker.ts', import.meta.url),
    threads: options.threads,
    max_waiting: 200,
  });

  const recognise = async (speech: Int16Array, signal: AbortSignal): Promise<string> => {
    if (speech.length < samplesOf(60)) return '';
    try {
      return tidy(await pool.run(speech, { signal }));
    } catch (error) {
      if (!(error instanceof ThreadFailed)) throw error;
      throw new SttFailed(error.message, { retryable: error.reason !== 'task_failed', cause: error });
    }
  };

  return {
    name: 'moonshine',
    capabilities: { streaming: true, languages: ['en'] },
    ready: lazy(() => recognise(new Int16Array(samplesOf(1000)), new AbortController().signal)),
    open() {
      let turn = new AbortController();
      let settled: Promise<string>[] = [];
      let chunks: Int16Array[] = [];
      let length = 0;
      let last: { length: number; text: Promise<string> } | null = null;

      const settlePiece = () => {
        const speech = joinPcm(chunks);
        const cut = quietestMoment(speech, piece.shortest, length - piece.untouched);
        settled.push(quiet(recognise(speech.slice(0, cut), turn.signal)));
        chunks = [speech.slice(cut)];
        length -= cut;
        last = null;
      };

      return {
        push(pcm) {
          chunks.push(pcm.slice());
          length += pcm.length;
          if (length >= piece.longest) settlePiece();
        },
        async text() {
          // Asked again without anything new, the work is not done twice.
          last =
            last?.length === length ? last : { length, text: quiet(recognise(joinPcm(chunks), turn.signal)) };
          const parts = await Promise.all([...settled, last.text]);
          return parts.filter((part) => part !== '').join(' ');
        },
        nextTurn() {
          turn.abort(new SttFailed('The turn is over.', { retryable: false }));
          turn = new AbortController();
          settled = [];
          chunks = [];
          length = 0;
          last = null;
        },
        close() {
          this.nextTurn();
        },
      };
    },
    isBehind: () => pool.lag_ms() > most_lag_ms,
    close: pool.close,
  };
}

/** The failure is told to whoever asks for the text; until then it must not count as unhandled. */
function quiet<T>(work: Promise<T>): Promise<T> {
  work.catch(() => {});
  return work;
}

const tidy = (text: string): string =>
  text
    // Spellings of the books it learned from.
    .replace(/\b(to|good)-(morrow|day|night|by)\b/gi, '$1$2')
    .replace(/\b(good)by\b/gi, '$1bye')
    .replace(/\s+/g, ' ')
    .trim();
