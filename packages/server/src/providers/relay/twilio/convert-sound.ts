// Converts WAV files to samples of the line, in a thread: the event loop carries the audio of all calls.
import { ThreadFailed, threadPool } from '../../../platform/thread-pool.ts';
import { RelayFailed } from '../relay.ts';
import type { ConvertedSound } from './sound-thread.ts';

export type SoundConverter = {
  /** Null for a file that is not a sound which we read. Throws RelayFailed when it cannot be converted now. */
  convert(file: Buffer, signal: AbortSignal): Promise<ConvertedSound>;
  close(): Promise<void>;
};

/** The largest sound at an unusual rate takes a few seconds. */
const cpu_ms = 20_000;
/** Of all calls; each waiting sound may have 5 MiB. */
const max_waiting = 50;

export function soundConverter(): SoundConverter {
  const pool = threadPool<Uint8Array, ConvertedSound>({
    name: 'relay_sounds',
    file: new URL('./sound-thread.ts', import.meta.url),
    threads: 1,
    max_waiting,
  });
  return {
    async convert(file, signal) {
      // Copied, because a buffer of Node's pool cannot be transferred.
      const task = new Uint8Array(file);
      try {
        return await pool.run(task, { transfer: [task.buffer], signal, cpu_ms });
      } catch (error) {
        if (!(error instanceof ThreadFailed)) throw error;
        throw new RelayFailed(`the sound cannot be converted (${error.reason})`, { cause: error });
      }
    },
    close: pool.close,
  };
}
