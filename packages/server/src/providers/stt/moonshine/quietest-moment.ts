// Finds the best position to cut a piece of speech: its quietest moment.
import { samplesOf } from '../../media/media-session.ts';

const window = samplesOf(120);
const step = samplesOf(20);

/** The middle of the quietest 120 ms between two positions. */
export function quietestMoment(speech: Int16Array, from: number, to: number): number {
  let best = { at: from, energy: Number.POSITIVE_INFINITY };
  for (let at = from; at + window <= to; at += step) {
    let energy = 0;
    for (let i = at; i < at + window; i++) energy += speech[i]! * speech[i]!;
    // Of equal moments take the latest, so that less audio is left at the end of the turn.
    if (energy <= best.energy) best = { at: at + window / 2, energy };
  }
  return best.at;
}
