// What a person hears while a colleague is called: short tones and a sentence now and then, or a ringing tone.
import { samplesOf } from '../../../../../providers/media/media-session.ts';
import type { Conversation } from '../conversation-state.ts';
import { sayAside } from './say-aside.ts';
import { transferPhrases } from './transfer-phrases.ts';

/** `amplitude` of at most 32,767. */
const tone = { hz: [440], ms: 200, amplitude: 1500, every_ms: 5000 };
/** As telephone networks in North America play it. */
const ringing = { hz: [440, 480], ms: 2000, amplitude: 1500, every_ms: 6000 };
const sentence_every_ms = 20_000;

export type WaitingSound = {
  /** Until `resume`: something else is said to the person. */
  pause(): void;
  resume(): void;
  stop(): void;
};

export function startWaitingSound(conversation: Conversation, kind: 'hold' | 'ringing'): WaitingSound {
  const { session, clock, turn_deps } = conversation;
  const { still_trying } = transferPhrases(conversation.call.language);
  const sound = kind === 'ringing' ? ringing : tone;
  let cancelTone = () => {};
  let cancelSentence = () => {};
  let speaking: ReturnType<typeof sayAside> | null = null;

  const playTone = () => {
    if (!speaking) session.write(toneOf(sound));
    cancelTone = clock.after(sound.every_ms, playTone);
  };
  const speak = () => {
    const aside = sayAside(turn_deps, turn_deps.player, still_trying, {
      is_filler: true,
      is_private: false,
    });
    speaking = aside;
    void aside.done.then(() => {
      if (speaking === aside) speaking = null;
    });
    cancelSentence = clock.after(sentence_every_ms, speak);
  };
  let is_stopped = false;
  const resume = () => {
    if (is_stopped) return;
    cancelTone();
    cancelSentence();
    cancelTone = clock.after(kind === 'ringing' ? 0 : sound.every_ms, playTone);
    if (kind === 'hold') cancelSentence = clock.after(sentence_every_ms, speak);
  };
  const pause = () => {
    cancelTone();
    cancelSentence();
    speaking?.stop();
    speaking = null;
    session.clear();
  };
  const stop = () => {
    is_stopped = true;
    pause();
  };
  resume();
  return { pause, resume, stop };
}

function toneOf({ hz, ms, amplitude }: { hz: number[]; ms: number; amplitude: number }): Int16Array {
  const per_second = samplesOf(1000);
  return Int16Array.from({ length: samplesOf(ms) }, (_, n) =>
    Math.round(
      hz.reduce((sum, each) => sum + amplitude * Math.sin((2 * Math.PI * each * n) / per_second), 0),
    ),
  );
}
