// Speech engines for tests: each letter is a constant audio level, so tests can say and hear exact text.
import { g711 } from '../src/protocols/audio/g711.ts';
import { joinPcm } from '../src/protocols/audio/join-pcm.ts';
import { samplesOf } from '../src/providers/media/media-session.ts';
import type { Stt } from '../src/providers/stt/stt.ts';
import type { Tts } from '../src/providers/tts/tts.ts';
import type { Vad } from '../src/providers/vad/vad.ts';

/** About the speed of human speech. */
const letter_samples = samplesOf(50);
/** Audio levels that the telephone codec does not change, one per letter. */
const letters = " abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.,?!:;()'’-";
const levels = [...g711('PCMU').decode_table]
  .filter((sample) => sample > 1000)
  .sort((one, other) => one - other)
  .slice(0, letters.length);
const level = (letter: string) => levels[Math.max(0, letters.indexOf(letter))]!;

export const sayCoded = (text: string): Int16Array =>
  joinPcm([...text].map((letter) => new Int16Array(letter_samples).fill(level(letter))));

export const coded_ms = (text: string): number => [...text].length * 50;

export function hearCoded(pcm: Int16Array): string {
  let text = '';
  for (let at = 0; at < pcm.length; ) {
    let end = at;
    while (end < pcm.length && pcm[end] === pcm[at]) end++;
    const times = Math.round((end - at) / letter_samples);
    const index = levels.indexOf(pcm[at]!);
    if (index >= 0) text += letters[index]!.repeat(times);
    // A pause between two clauses.
    else if (text !== '' && !text.endsWith(' ') && times > 0) text += ' ';
    at = end;
  }
  return text.trim();
}

export function codedVad(): Vad {
  return {
    name: 'coded',
    capabilities: { window_samples: 256 },
    ready: async () => {},
    open: () => ({
      judge: async (window) => (window.filter((sample) => sample > 500).length > 128 ? 1 : 0),
      close() {},
    }),
    close: async () => {},
  };
}

export function codedStt(
  recognize: (pcm: Int16Array) => Promise<string> = async (pcm) => hearCoded(pcm),
): Stt {
  return {
    name: 'coded',
    capabilities: { streaming: false, languages: null },
    ready: async () => {},
    open() {
      let chunks: Int16Array[] = [];
      return {
        push: (pcm) => void chunks.push(pcm.slice()),
        text: () => recognize(joinPcm(chunks)),
        // The words that were said to their end.
        interim: () => hearCoded(joinPcm(chunks)).replace(/\S*$/, '').trim(),
        nextTurn() {
          chunks = [];
        },
        close() {},
      };
    },
    isBehind: () => false,
    close: async () => {},
  };
}

export function codedTts(): Tts {
  return {
    name: 'coded',
    capabilities: { streaming: true, languages: null, voices: [] },
    ready: async () => {},
    async *speak({ text, signal }) {
      const sound = sayCoded(text);
      for (let at = 0; at < sound.length; at += 1000) {
        signal.throwIfAborted();
        yield sound.slice(at, at + 1000);
      }
    },
    close: async () => {},
  };
}
