// Says short sentences while the agent waits for tools, so that the other party does not hear silence.
import type { MediaClock } from '../../../../../providers/media/media-clock.ts';
import type { AgentTool } from '../../../../agents/runtime/index.ts';
import type { Fact } from '../facts.ts';
import type { TurnPart } from '../turns/turn-part.ts';
import type { Phrases } from './phrases.ts';
import { type Player, startUtterance, type Utterance } from './player.ts';

/** Silence that is not filled: most tools answer faster. */
const first_after_ms = 700;
const default_slow_after_ms = 2500;
const between_ms = 8000;
const between_looks_ms = 200;
/** A filler with less than this left is said to its end. */
const nearly_said_ms = 400;

export type FillerDeps = {
  player: Player;
  clock: MediaClock;
  phrases: Phrases;
  emit(fact: Fact): void;
  since(ms: number): number;
};

export type Filling = {
  /** The results are there. Resolves when the line is free for the reply. */
  stop(): Promise<void>;
};

type Filler = { utterance: Utterance; record(is_interrupted: boolean): void; is_over: boolean };

/**
 * `has_words`: the model said something before it called the tools, which fills the first silence. `use` tells the turn
 * what is being said, so that an interruption reaches it.
 */
export function startFilling(
  deps: FillerDeps,
  tool: AgentTool,
  { has_words, use, isPaused }: { has_words: boolean; use(part: TurnPart): void; isPaused(): boolean },
): Filling {
  const { clock } = deps;
  const { start, slow_after_ms, slow } = tool.speech ?? { start: null, slow_after_ms: null, slow: [] };
  const slow_ones = slow.length > 0 ? slow : deps.phrases.still_working;
  let current: Filler | null = null;
  let said_slow = 0;
  let is_stopped = false;
  let cancel = () => {};

  const stop = () => {
    is_stopped = true;
    cancel();
  };
  const sayNext = (text: string, next_after_ms: number) => {
    if (is_stopped) return;
    // The other party speaks, or the sentence before is not over: look again soon.
    if (isPaused() || (current && !current.is_over)) return later(text, between_looks_ms, next_after_ms);
    const filler = sayFiller(deps, text);
    current = filler;
    // Nothing of a sentence that was said to its end is left to pause.
    const endPart = () => {
      if (!is_stopped && current === filler) use({ utterance: null, cutOff: stop, continues: true });
    };
    // A filler that cannot be spoken is left out: if the voice stays away, the reply of the agent fails.
    void filler.utterance.done.then(endPart, endPart);
    use({
      utterance: filler.utterance,
      continues: true,
      cutOff() {
        stop();
        filler.utterance.stop();
        filler.record(true);
      },
    });
    later(slow_ones[said_slow++ % slow_ones.length]!, next_after_ms, between_ms);
  };
  const later = (text: string, after_ms: number, next_after_ms: number) => {
    cancel = clock.after(after_ms, () => sayNext(text, next_after_ms));
  };

  const slow_ms = slow_after_ms ?? default_slow_after_ms;
  if (has_words) later(slow_ones[said_slow++ % slow_ones.length]!, slow_ms, between_ms);
  else later(start ?? deps.phrases.one_moment, first_after_ms, Math.max(0, slow_ms - first_after_ms));
  return {
    async stop() {
      stop();
      if (!current || current.is_over) return;
      if (current.utterance.remaining_ms() > nearly_said_ms) {
        current.utterance.stop();
        current.record(true);
      } else await current.utterance.done.catch(() => {});
    },
  };
}

/** In the transcript as a filler, and not in the model's turns. */
function sayFiller({ player, clock, emit, since }: FillerDeps, text: string): Filler {
  const utterance = startUtterance(player);
  const started_ms = clock.ms();
  const filler: Filler = {
    utterance,
    is_over: false,
    record(is_interrupted) {
      if (filler.is_over) return;
      filler.is_over = true;
      const heard = utterance.heard().text;
      if (heard === '') return;
      emit({
        kind: 'said',
        speaker: 'agent',
        text: heard,
        started_ms: since(utterance.first_frame_ms() ?? started_ms),
        ended_ms: since(clock.ms()),
        is_interrupted,
        is_filler: true,
        timings: null,
      });
    },
  };
  utterance.say(text);
  utterance.finish();
  utterance.done.then(
    () => filler.record(false),
    () => filler.record(true),
  );
  return filler;
}
