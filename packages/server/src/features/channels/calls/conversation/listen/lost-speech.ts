// Watches for speech that becomes no turn: recognition that takes too long, and sound in which it finds no words.
import type { MediaClock } from '../../../../../providers/media/media-clock.ts';

export type LostSpeech = {
  cause: 'recognition_late' | 'no_words' | 'call_ended';
  /** How long the other party spoke. */
  sound_ms: number;
};

/** What the listener does at a moment; `ended_ms` is the last sound of the turn. */
export type Hearing = { doing: 'nothing' | 'hearing' | 'recognizing'; started_ms: number; ended_ms: number };

export type LostSpeechWatch = {
  /** Something that sounds like speech has begun. */
  heard(at_ms: number): void;
  /** It became a turn, or its failure was reported. */
  understood(): void;
  /** Recognition found no words in it. */
  noWords(sound_ms: number): void;
  /** At the end of the call: what nobody will understand any more. */
  rest(hearing: Hearing): LostSpeech | null;
  close(): void;
};

/** Shorter sounds without words are coughs and clicks. */
const least_sound_ms = 1500;
const look_again_ms = 1000;

/** `patience_ms`: how long after the first sound, and after the end of a turn, its words may take. Null: for ever. */
export function watchLostSpeech(deps: {
  clock: MediaClock;
  patience_ms: number | null;
  hearing(): Hearing;
  lost(speech: LostSpeech): void;
}): LostSpeechWatch {
  const { clock, patience_ms, hearing } = deps;
  let since_ms: number | null = null;
  let wordless_ms = 0;
  let cancel = () => {};

  const forget = () => {
    cancel();
    since_ms = null;
    wordless_ms = 0;
  };
  const lookAt = (at_ms: number) => {
    cancel();
    cancel = clock.after(Math.max(0, at_ms - clock.ms()), look);
  };
  const look = () => {
    if (since_ms === null || patience_ms === null) return;
    const { doing, started_ms, ended_ms } = hearing();
    // Whoever still speaks is not interrupted.
    if (doing === 'hearing') return lookAt(clock.ms() + look_again_ms);
    if (doing === 'recognizing' && clock.ms() < ended_ms + patience_ms) return lookAt(ended_ms + patience_ms);
    const is_late = doing === 'recognizing';
    const sound_ms = Math.round(wordless_ms + (is_late ? ended_ms - started_ms : 0));
    forget();
    if (is_late) deps.lost({ cause: 'recognition_late', sound_ms });
    else if (sound_ms >= least_sound_ms) deps.lost({ cause: 'no_words', sound_ms });
  };

  return {
    heard(at_ms) {
      if (since_ms !== null || patience_ms === null) return;
      since_ms = at_ms;
      lookAt(at_ms + patience_ms);
    },
    understood: forget,
    noWords(sound_ms) {
      wordless_ms += sound_ms;
      if (since_ms !== null && patience_ms !== null && clock.ms() >= since_ms + patience_ms) look();
    },
    rest({ doing, started_ms, ended_ms }) {
      const sound_ms = Math.round(wordless_ms + (doing === 'nothing' ? 0 : ended_ms - started_ms));
      return sound_ms >= least_sound_ms ? { cause: 'call_ended', sound_ms } : null;
    },
    close: forget,
  };
}
