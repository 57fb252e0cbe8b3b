// A turn in which a relay replies: it gets what the person said, and its talk cycle is spoken while it arrives.

import type { HeardTurn } from '../listen/listener.ts';
import { clauseSplitter } from '../speak/clauses.ts';
import { beginRound, type Round, type RoundDeps } from '../turns/round.ts';
import type { TurnHandle } from '../turns/turn.ts';
import { interruptCycle, nextCycle, type RelayTalk, sendPrompt, type TalkCycle } from './relay-talk.ts';

export type RelayTurnDeps = RoundDeps;

/** Waits for the next cycle and speaks it. `prompt` is null when the relay speaks without being asked. */
export async function speakRelayReply(
  deps: RelayTurnDeps,
  talk: RelayTalk,
  { prompt, heard }: { prompt: string | null; heard: HeardTurn | null },
  stopping: AbortSignal,
  turn: TurnHandle,
): Promise<'spoken' | 'end_call'> {
  // The person interrupted its last words: it does not answer any more.
  if (talk.end && talk.cycles.length === 0) return 'end_call';
  if (prompt !== null) sendPrompt(talk, prompt);
  const cycle = await nextCycle(talk, stopping);
  if (!cycle) return 'spoken';
  try {
    if (stopping.aborted) interruptCycle(talk, cycle, { text: '', ms: 0 });
    else await speakCycle(deps, talk, cycle, heard, stopping, turn);
  } finally {
    if (talk.speaking === cycle) talk.speaking = null;
  }
  return talk.end && talk.cycles.length === 0 && !stopping.aborted ? 'end_call' : 'spoken';
}

async function speakCycle(
  deps: RelayTurnDeps,
  talk: RelayTalk,
  cycle: TalkCycle,
  heard: HeardTurn | null,
  stopping: AbortSignal,
  turn: TurnHandle,
): Promise<void> {
  const { player } = deps;
  const language = cycle.language ?? player.language;
  const round = beginRound({ ...deps, player: { ...player, language } }, { discloses: true, heard });
  const { utterance } = round;
  turn.use({
    utterance,
    interruptible: cycle.interruptible,
    get continues() {
      return !cycle.is_complete;
    },
    cutOff() {
      utterance.stop();
      const started_ms = utterance.first_frame_ms();
      const ms = started_ms === null ? 0 : player.clock.ms() - started_ms;
      interruptCycle(talk, cycle, { text: withoutDisclosure(utterance.heard().text, deps), ms });
      round.record(true);
    },
  });
  await sayPieces(round, cycle, stopping);
  utterance.finish();
  await utterance.done;
  if (!stopping.aborted) round.record(false);
}

/** The relay did not write the sentence that an AI speaks. */
const withoutDisclosure = (text: string, { disclosure }: RelayTurnDeps): string =>
  disclosure.text !== null && text.startsWith(disclosure.text)
    ? text.slice(disclosure.text.length).trim()
    : text;

async function sayPieces(round: Round, cycle: TalkCycle, stopping: AbortSignal): Promise<void> {
  const clauses = clauseSplitter();
  const { promise: stopped, resolve } = Promise.withResolvers<void>();
  stopping.addEventListener('abort', () => resolve(), { once: true });
  while (!stopping.aborted) {
    const { changed } = cycle;
    for (const piece of cycle.pieces.splice(0)) {
      round.textStarted();
      if (typeof piece === 'string') for (const clause of clauses.push(piece)) round.utterance.say(clause);
      else {
        for (const clause of clauses.flush()) round.utterance.say(clause);
        const sound = await Promise.race([piece, stopped]);
        if (sound) round.utterance.play(sound);
      }
    }
    if (cycle.is_complete && cycle.pieces.length === 0) break;
    if (cycle.pieces.length === 0) await Promise.race([changed.promise, stopped]);
  }
  for (const clause of clauses.flush()) round.utterance.say(clause);
}
