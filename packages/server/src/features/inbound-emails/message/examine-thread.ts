// A thread that examines large messages, so that the event loop never waits for one.
import { rememberingLookUp } from '../../../platform/dns.ts';
import { answerInThread } from '../../../platform/thread-pool.ts';
import { type Examined, examine } from './examine.ts';
import { UnreadableMessage } from './mime.ts';

export type ThreadQuestion = {
  raw: Uint8Array<ArrayBuffer>;
  mail_from: string | null;
  dns_servers: string[];
};
/** The message comes back with the answer: it was moved here, not copied. */
export type ThreadAnswer = { raw: Uint8Array<ArrayBuffer>; found: Examined | { unreadable: string } };

let lookUp: ReturnType<typeof rememberingLookUp> | undefined;

answerInThread<ThreadQuestion, ThreadAnswer>(async ({ raw, mail_from, dns_servers }) => {
  lookUp ??= rememberingLookUp({ servers: dns_servers });
  const bytes = Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength);
  const found = await examine(bytes, mail_from, lookUp).catch((error: Error) => {
    if (error instanceof UnreadableMessage) return { unreadable: error.message };
    throw error;
  });
  return { answer: { raw, found }, transfer: [raw.buffer] };
});
