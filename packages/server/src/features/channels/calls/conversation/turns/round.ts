// One round of an agent's turn: what it says between two uses of tools, and the record of what was heard of it.
import type { ToolCall, Turn } from '../../../../../providers/llm/llm.ts';
import type { Fact, SaidFact, TurnTimings } from '../facts.ts';
import type { HeardTurn } from '../listen/listener.ts';
import { type Player, startUtterance, type Utterance } from '../speak/player.ts';

/** The sentence that an AI is speaking. It is said first until it was heard once; `text` is null when it is off. */
export type Disclosure = { text: string | null; is_heard: boolean };

export type RoundDeps = {
  player: Player;
  disclosure: Disclosure;
  /** The conversation so far. A round adds what the agent said, as far as it was heard. */
  turns: Turn[];
  emit(fact: Fact): void;
  /** Converts a time of the media clock to one since the line opened. */
  since(ms: number): number;
};

export type Round = {
  utterance: Utterance;
  /** The first piece of text exists; later calls change nothing. */
  textStarted(): void;
  /** Whether anything was given to it to say. */
  hasWords(): boolean;
  /** Writes down what was heard. Only the first call counts. */
  record(is_interrupted: boolean, tool_calls?: ToolCall[]): void;
};

export type RoundOptions = {
  discloses: boolean;
  /** What the round replies to. */
  heard: HeardTurn | null;
  /** Spent in tools since then. */
  tool_ms?: number;
  requested_by?: SaidFact['requested_by'];
};

export function beginRound(
  deps: RoundDeps,
  { discloses, heard, tool_ms = 0, requested_by = null }: RoundOptions,
): Round {
  const { disclosure, turns, player } = deps;
  const utterance = startUtterance(player);
  const is_disclosing = discloses && disclosure.text !== null && !disclosure.is_heard;
  const started_ms = player.clock.ms();
  let first_token_ms: number | null = null;
  let is_recorded = false;
  if (is_disclosing) utterance.say(disclosure.text!);
  return {
    utterance,
    textStarted() {
      first_token_ms ??= player.clock.ms();
    },
    hasWords: () => utterance.hasWords(),
    record(is_interrupted, tool_calls = []) {
      if (is_recorded) return;
      is_recorded = true;
      const { text, clauses } = utterance.heard();
      if (is_disclosing && clauses > 0) disclosure.is_heard = true;
      if (tool_calls.length > 0) turns.push({ role: 'assistant', content: text, tool_calls });
      else if (text !== '') turns.push({ role: 'assistant', content: text });
      if (text === '') return;
      deps.emit({
        kind: 'said',
        speaker: 'agent',
        text,
        started_ms: deps.since(utterance.first_frame_ms() ?? started_ms),
        ended_ms: deps.since(player.clock.ms()),
        is_interrupted,
        is_filler: false,
        requested_by,
        timings: heard && timingsOf(heard, first_token_ms, utterance, tool_ms),
      });
    },
  };
}

function timingsOf(
  heard: HeardTurn,
  first_token_ms: number | null,
  utterance: Utterance,
  tool_ms: number,
): TurnTimings | null {
  const [sound_ms, frame_ms] = [utterance.first_sound_ms(), utterance.first_frame_ms()];
  if (first_token_ms === null || sound_ms === null || frame_ms === null) return null;
  // A disclosure is spoken before the model's first token exists.
  const token_ms = Math.min(first_token_ms, sound_ms);
  const silence_ms = heard.closed_ms - heard.ended_ms;
  const endpoint_ms = Math.min(heard.endpoint_ms, silence_ms);
  return {
    endpoint_ms,
    stt_ms: silence_ms - endpoint_ms,
    first_token_ms: token_ms - heard.closed_ms,
    ...(tool_ms > 0 ? { tool_ms: Math.round(tool_ms) } : {}),
    first_byte_ms: sound_ms - token_ms,
    first_frame_ms: frame_ms - sound_ms,
    total_ms: frame_ms - heard.ended_ms,
  };
}
