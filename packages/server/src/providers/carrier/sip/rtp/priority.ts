// Asks that the thread that paces audio runs before others, and waits for none of them.
import { constants, setPriority } from 'node:os';
import { setFlagsFromString } from 'node:v8';

/** Most systems grant it to privileged users only; a refusal is told, because audio may then stutter under load. */
export function askForPriority(onRefusal: (detail: string) => void): void {
  // Several threads collect garbage together, and this one stands still until the last is done. On a busy machine those
  // without priority keep it waiting for tens of milliseconds; alone it needs one for the little that calls leave behind.
  setFlagsFromString('--no-parallel-scavenge');
  try {
    setPriority(0, constants.priority.PRIORITY_HIGH);
  } catch (error) {
    onRefusal((error as Error).message);
  }
}
