// Gives the thread that paces audio a higher priority, and shortens its garbage collection pauses.
import { constants, setPriority } from 'node:os';
import { setFlagsFromString } from 'node:v8';

/** Most systems allow this to privileged users only. A refusal is reported, because audio may then stutter under load. */
export function raisePriority(onRefusal: (detail: string) => void): void {
  // A parallel scavenge stops this thread until all helper threads are done. On a busy machine helpers without priority
  // delay it for tens of milliseconds; one thread alone needs about one millisecond.
  setFlagsFromString('--no-parallel-scavenge');
  try {
    setPriority(0, constants.priority.PRIORITY_HIGH);
  } catch (error) {
    onRefusal((error as Error).message);
  }
}
