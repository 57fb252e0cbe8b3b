// Says a sentence that is not part of the conversation with the model: to a person who waits, or to a colleague.
import type { SaidFact } from '../facts.ts';
import { type Player, startUtterance, type Utterance } from '../speak/player.ts';

export type AsideDeps = { emit(fact: SaidFact): void; since(ms: number): number };

/** The transcript gets what was heard of it. */
export function sayAside(
  { emit, since }: AsideDeps,
  player: Player,
  text: string,
  flags: { is_filler: boolean; is_private: boolean },
): Pick<Utterance, 'stop' | 'done'> {
  const utterance = startUtterance(player);
  const started_ms = player.clock.ms();
  for (const sentence of text.split(/(?<=[.!?]) /)) utterance.say(sentence);
  utterance.finish();
  let is_recorded = false;
  const record = (is_interrupted: boolean) => {
    const heard = utterance.heard().text;
    if (is_recorded || heard === '') return;
    is_recorded = true;
    emit({
      kind: 'said',
      speaker: 'agent',
      text: heard,
      started_ms: since(utterance.first_frame_ms() ?? started_ms),
      ended_ms: since(player.clock.ms()),
      is_interrupted,
      ...flags,
      timings: null,
    });
  };
  return {
    stop() {
      utterance.stop();
      record(true);
    },
    // A sentence that cannot be spoken must not fail the transfer.
    done: utterance.done.catch(() => {}).then(() => record(false)),
  };
}
