// The worker thread that examines untrusted messages and adds ARC seals, so that none of them can block the event loop.
import { cachingDnsLookup } from '../../../../../platform/dns.ts';
import { handleTasks, threadData } from '../../../../../platform/thread-pool.ts';
import { type SealOptions, seal } from '../../../../../protocols/mail/dkim/arc-seal.ts';
import { headerEnd, UnreadableMessage } from '../../../../../protocols/mail/mime/structure.ts';
import type { Envelope } from './authentication.ts';
import { type ExaminedMessage, examine } from './examine.ts';

export type ThreadSetup = { dns_servers: string[]; host: string };

type Bytes = Uint8Array<ArrayBuffer>;
export type MessageTask =
  | { task: 'examine'; raw: Bytes; is_transferred: boolean; envelope: Envelope | null; verify: boolean }
  | { task: 'seal'; raw: Bytes; is_transferred: boolean; options: SealOptions };
export type MessageResult = {
  /** The message, if it was transferred to the thread and not copied. */
  raw: Bytes | null;
  result:
    | { examined: ExaminedMessage }
    | { sealed: Uint8Array }
    | { unreadable: string; is_too_large: boolean };
};

const { dns_servers, host } = threadData<ThreadSetup>();
const lookUp = cachingDnsLookup({ servers: dns_servers });

async function work(task: MessageTask, raw: Buffer): Promise<MessageResult['result']> {
  if (task.task === 'seal') return { sealed: await seal(raw, headerEnd(raw), task.options) };
  return { examined: await examine(raw, task.envelope, { lookUp, host, verify: task.verify }) };
}

handleTasks<MessageTask, MessageResult>(async (task) => {
  const { raw, is_transferred } = task;
  const bytes = Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength);
  const result = await work(task, bytes).catch((error: Error) => {
    if (!(error instanceof UnreadableMessage)) throw error;
    return { unreadable: error.message, is_too_large: error.is_too_large };
  });
  return {
    result: { raw: is_transferred ? raw : null, result },
    transfer: is_transferred ? [raw.buffer] : [],
  };
});
