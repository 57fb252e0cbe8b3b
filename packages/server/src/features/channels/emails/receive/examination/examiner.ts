// Examines messages in threads: an untrusted message never blocks the event loop, and its CPU time is limited.
import { ThreadFailed, type ThreadPool, threadPool } from '../../../../../platform/thread-pool.ts';
import type { SealOptions } from '../../../../../protocols/mail/dkim/arc-seal.ts';
import { UnreadableMessage } from '../../../../../protocols/mail/mime/structure.ts';
import type { Envelope } from './authentication.ts';
import type { ExaminedMessage } from './examine.ts';
import type { MessageResult, MessageTask, ThreadSetup } from './message-thread.ts';

/**
 * A message of at least this size is transferred to the thread and back without a copy. A smaller one is copied, so that it is
 * still here if the thread crashes.
 */
export const large_bytes = 256 * 1024;

/** Most messages take a few milliseconds. The slowest honest ones take about a tenth of this limit. */
const cpuLimit = (bytes: number): number => 2000 + bytes / 10_000;

type Task =
  | Omit<Extract<MessageTask, { task: 'examine' }>, 'raw' | 'is_transferred'>
  | Omit<Extract<MessageTask, { task: 'seal' }>, 'raw' | 'is_transferred'>;

export function messageExaminer(options: {
  dns_servers: string[];
  host: string;
  /** The CPU time that a message of this size may use, in milliseconds. */
  cpuLimit?: (bytes: number) => number;
}) {
  const limitFor = options.cpuLimit ?? cpuLimit;
  const data: ThreadSetup = { dns_servers: options.dns_servers, host: options.host };
  const pool = (size: { threads: number; in_flight: number }) =>
    threadPool<MessageTask, MessageResult>({
      name: 'mail_examination',
      file: new URL('./message-thread.ts', import.meta.url),
      // Never reached: the SMTP server limits the number of connections.
      max_waiting: 100_000,
      young_mb: 6,
      data,
      ...size,
    });
  // Many messages per thread, because most of the time is spent waiting for DNS.
  const shared = pool({ threads: 2, in_flight: 256 });
  /** Second try, one message at a time: after a thread was terminated, the message that caused it must not stop others again. */
  const alone = pool({ threads: 1, in_flight: 1 });

  return {
    /**
     * The buffer may be transferred to a thread, so the caller must use only the returned one. `readAgain` is called if the
     * buffer was lost with its thread. The signatures of a message that cannot be verified in time count as failed. One that
     * cannot be parsed in time is refused for good: sent again, it would take as long.
     */
    async examine(
      raw: Buffer,
      envelope: Envelope | null,
      readAgain: () => Promise<Buffer>,
    ): Promise<{ raw: Buffer; examined: ExaminedMessage }> {
      const is_large = raw.length >= large_bytes;
      // Peers take turns, so that what one sends does not delay the messages of the others.
      const options = { cpu_ms: limitFor(raw.length), turn: envelope?.remote_address ?? '' };
      const attempts = [
        { threads: shared, verify: true },
        { threads: alone, verify: true },
        ...(envelope ? [{ threads: alone, verify: false }] : []),
      ];
      let bytes = raw;
      for (const [index, { threads, verify }] of attempts.entries()) {
        try {
          const done = await runTask(threads, bytes, { task: 'examine', envelope, verify }, options);
          return { raw: done.raw, examined: (done.result as { examined: ExaminedMessage }).examined };
        } catch (error) {
          if (!canRetry(error, is_large)) throw error;
          if (index === attempts.length - 1) throw tooSlow(error);
          if (is_large) bytes = await readAgain();
        }
      }
      throw new Error('unreachable');
    },

    /** Returns the header fields of an ARC seal for a forward; empty if sealing takes too long. */
    async seal(
      raw: Buffer,
      seal_options: SealOptions,
      readAgain: () => Promise<Buffer>,
    ): Promise<{ raw: Buffer; sealed: Uint8Array }> {
      try {
        const task = { task: 'seal', options: seal_options } as const;
        const done = await runTask(shared, raw, task, { cpu_ms: limitFor(raw.length) });
        return { raw: done.raw, sealed: (done.result as { sealed: Uint8Array }).sealed };
      } catch (error) {
        if (!(error instanceof ThreadFailed && error.reason === 'stuck')) throw error;
        return { raw: await readAgain(), sealed: new Uint8Array() };
      }
    },
    close: async () => {
      await Promise.all([shared.close(), alone.close()]);
    },
  };
}
export type MessageExaminer = ReturnType<typeof messageExaminer>;

const tooSlow = (error: unknown): unknown =>
  error instanceof ThreadFailed && error.reason === 'stuck'
    ? new UnreadableMessage('The message takes too long to read')
    : error;

type MessageThreads = ThreadPool<MessageTask, MessageResult>;

async function runTask(
  threads: MessageThreads,
  raw: Buffer,
  task: Task,
  options: { cpu_ms: number; turn?: string },
) {
  const is_transferred = raw.length >= large_bytes;
  // Only a whole ArrayBuffer can be transferred, so a view into a larger one is copied first.
  const whole = raw.byteLength === raw.buffer.byteLength ? raw : Buffer.from(new Uint8Array(raw));
  const bytes = new Uint8Array(whole.buffer as ArrayBuffer, whole.byteOffset, whole.byteLength);
  const message_task = { ...task, raw: bytes, is_transferred } as MessageTask;
  const { raw: returned, result } = await threads.run(message_task, {
    transfer: is_transferred ? [bytes.buffer] : [],
    ...options,
  });
  if ('unreadable' in result) throw new UnreadableMessage(result.unreadable, result);
  const message = returned ? Buffer.from(returned.buffer, returned.byteOffset, returned.byteLength) : raw;
  return { raw: message, result };
}

/** A large message whose thread crashed is not tried again: the sender gets a temporary error and sends it again. */
const canRetry = (error: unknown, is_large: boolean) =>
  error instanceof ThreadFailed &&
  (error.reason === 'stuck' ||
    ((error.reason === 'thread_crashed' || error.reason === 'not_started') && !is_large));
