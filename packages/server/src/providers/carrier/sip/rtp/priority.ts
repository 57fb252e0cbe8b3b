// Asks that the thread that paces audio runs before others, and waits for none of them.
import { constants, setPriority } from 'node:os';
import { setFlagsFromString } from 'node:v8';

/** Most systems grant it to privileged users only; a refusal is told, because audio may then stutter under load. */
export function askForPriority(onRefusal: (detail: string) => void): void {
  // Garbage is collected by several threads, each frame standing still until the last is done: on a busy machine those
  // without priority keep this one waiting for tens of milliseconds. What audio leaves to be copied takes one thread one.
  setFlagsFromString('--no-parallel-scavenge');
  try {
    setPriority(0, constants.priority.PRIORITY_HIGH);
  } catch (error) {
    onRefusal((error as Error).message);
  }
}
