// Asks the system to let the thread that paces audio run before others.
import { constants, setPriority } from 'node:os';

/** Most systems grant it to privileged users only; a refusal is told, because audio may then stutter under load. */
export function askForPriority(onRefusal: (detail: string) => void): void {
  try {
    setPriority(0, constants.priority.PRIORITY_HIGH);
  } catch (error) {
    onRefusal((error as Error).message);
  }
}
