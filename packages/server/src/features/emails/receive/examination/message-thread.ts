// A thread that works on messages of strangers, so that the event loop never waits for one.
import { cachingDnsLookup } from '../../../../platform/dns.ts';
import { handleTasks, threadData } from '../../../../platform/thread-pool.ts';
import { type SealOptions, seal } from '../../../../protocols/mail/dkim/arc-seal.ts';
import { headerEnd, UnreadableMessage } from '../../../../protocols/mail/mime/structure.ts';
import type { Envelope } from './authentication.ts';
import { type Examined, examine } from './examine.ts';

export type ThreadSetup = { dns_servers: string[]; host: string };

type Bytes = Uint8Array<ArrayBuffer>;
export type MessageTask =
  | { task: 'examine'; raw: Bytes; is_moved: boolean; envelope: Envelope | null; verify: boolean }
  | { task: 'seal'; raw: Bytes; is_moved: boolean; options: SealOptions };
export type MessageResult = {
  /** The message, where it was moved here instead of copied. */
  raw: Bytes | null;
  found: { examined: Examined } | { sealed: Uint8Array } | { unreadable: string; is_too_large: boolean };
};

const { dns_servers, host } = threadData<ThreadSetup>();
const lookUp = cachingDnsLookup({ servers: dns_servers });

async function work(task: MessageTask, raw: Buffer): Promise<MessageResult['found']> {
  if (task.task === 'seal') return { sealed: await seal(raw, headerEnd(raw), task.options) };
  return { examined: await examine(raw, task.envelope, { lookUp, host, verify: task.verify }) };
}

handleTasks<MessageTask, MessageResult>(async (task) => {
  const { raw, is_moved } = task;
  const bytes = Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength);
  const found = await work(task, bytes).catch((error: Error) => {
    if (!(error instanceof UnreadableMessage)) throw error;
    return { unreadable: error.message, is_too_large: error.is_too_large };
  });
  return { result: { raw: is_moved ? raw : null, found }, transfer: is_moved ? [raw.buffer] : [] };
});
