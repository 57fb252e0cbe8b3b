// Examines messages in threads: what a stranger wrote never runs on the event loop, and never for longer than it may.
import { ThreadFailed, threadPool } from '../../../../platform/thread-pool.ts';
import type { SealOptions } from '../../../../protocols/mail/dkim/arc-seal.ts';
import { UnreadableMessage } from '../../../../protocols/mail/mime/structure.ts';
import type { Envelope } from './authentication.ts';
import type { Examined } from './examine.ts';
import type { MessageResult, MessageTask, ThreadSetup } from './message-thread.ts';

export type Judged = Examined;

/** From here on a message is moved to the thread and back; smaller ones are copied, so that they survive the thread. */
export const large_bytes = 256 * 1024;

/** Most messages take a few milliseconds; the longest that are not made to be slow take about a tenth of this. */
const cpuMsFor = (bytes: number): number => 2000 + bytes / 10_000;

type Task =
  | Omit<Extract<MessageTask, { task: 'examine' }>, 'raw' | 'is_moved'>
  | Omit<Extract<MessageTask, { task: 'seal' }>, 'raw' | 'is_moved'>;

export function messageExaminer(options: {
  dns_servers: string[];
  host: string;
  /** How long a thread may compute for a message of this size. */
  cpuMsFor?: (bytes: number) => number;
}) {
  const data: ThreadSetup = { dns_servers: options.dns_servers, host: options.host };
  const pool = (size: { threads: number; in_flight: number }) =>
    threadPool<MessageTask, MessageResult>({
      file: new URL('./message-thread.ts', import.meta.url),
      // Bounded by the connections that messages come over.
      max_waiting: 100_000,
      young_mb: 6,
      data,
      ...size,
    });
  // Most of a message's time in a thread is spent waiting for DNS.
  const shared = pool({ threads: 2, in_flight: 256 });
  /** For messages whose thread was ended: whichever of them is to blame must not take the others with it again. */
  const alone = pool({ threads: 1, in_flight: 1 });

  const ask = async (from: typeof shared, raw: Buffer, task: Task) => {
    const is_moved = raw.length >= large_bytes;
    // A piece of a larger buffer cannot be moved alone, and would be copied whole.
    const whole = raw.byteLength === raw.buffer.byteLength ? raw : Buffer.from(new Uint8Array(raw));
    const bytes = new Uint8Array(whole.buffer as ArrayBuffer, whole.byteOffset, whole.byteLength);
    const { raw: back, found } = await from.run({ ...task, raw: bytes, is_moved } as MessageTask, {
      transfer: is_moved ? [bytes.buffer] : [],
      cpu_ms: (options.cpuMsFor ?? cpuMsFor)(raw.length),
    });
    if ('unreadable' in found) throw new UnreadableMessage(found.unreadable, found);
    return { raw: back ? Buffer.from(back.buffer, back.byteOffset, back.byteLength) : raw, found };
  };

  /** Whether the task may be tried again: a moved message is gone with its thread, and then only its sender has it. */
  const isLost = (error: unknown, is_large: boolean) =>
    error instanceof ThreadFailed &&
    (error.reason === 'stuck' || (error.reason === 'thread_crashed' && !is_large));

  return {
    /**
     * The message may be moved while it is examined: only the returned bytes may be used afterwards. `again` reads it
     * once more where it was lost with its thread. What cannot be verified in time is accepted with verdicts that say so;
     * what cannot even be read in time fails, so that its sender tries again.
     */
    async examine(
      raw: Buffer,
      envelope: Envelope | null,
      again: () => Promise<Buffer>,
    ): Promise<{ raw: Buffer; examined: Judged }> {
      const is_large = raw.length >= large_bytes;
      const attempts = [
        { from: shared, verify: true },
        { from: alone, verify: true },
        ...(envelope ? [{ from: alone, verify: false }] : []),
      ];
      let bytes = raw;
      for (const [index, { from, verify }] of attempts.entries()) {
        try {
          const { raw: back, found } = await ask(from, bytes, { task: 'examine', envelope, verify });
          return { raw: back, examined: (found as { examined: Judged }).examined };
        } catch (error) {
          if (index === attempts.length - 1 || !isLost(error, is_large)) throw error;
          if (is_large) bytes = await again();
        }
      }
      throw new Error('unreachable');
    },

    /** The fields of a seal for a message that is passed on; empty where it would take too long. */
    async seal(
      raw: Buffer,
      options: SealOptions,
      again: () => Promise<Buffer>,
    ): Promise<{ raw: Buffer; sealed: Uint8Array }> {
      try {
        const { raw: back, found } = await ask(shared, raw, { task: 'seal', options });
        return { raw: back, sealed: (found as { sealed: Uint8Array }).sealed };
      } catch (error) {
        if (!(error instanceof ThreadFailed && error.reason === 'stuck')) throw error;
        return { raw: await again(), sealed: new Uint8Array() };
      }
    },
    close: async () => {
      await Promise.all([shared.close(), alone.close()]);
    },
  };
}
export type MessageExaminer = ReturnType<typeof messageExaminer>;
