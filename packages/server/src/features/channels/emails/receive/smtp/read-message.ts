// Reads the DATA of an SMTP session into one buffer, within the limits of the server.
import { limits } from '@parley/contract/limits';
import { lineRules } from '../../../../../protocols/mail/line-rules.ts';
import { messageBuffer } from './message-buffer.ts';
import { line_fault_replies, replies } from './replies.ts';

/** Bytes of all messages that are being received at the moment. */
export type BufferBudget = { used_bytes: number; max_bytes: number };

/**
 * Reads the whole message and passes it to `accept`; its bytes count against the budget until `accept` returns. After the
 * first error the rest is read and dropped, because SMTP replies only at the end of the message.
 */
export async function withMessage<T>(
  stream: AsyncIterable<Buffer>,
  max_bytes: number,
  budget: BufferBudget,
  accept: (raw: Buffer) => Promise<T>,
): Promise<T> {
  const message = messageBuffer(max_bytes);
  const lines = lineRules(limits.inbound_line_bytes);
  let message_bytes = 0;
  let refusal: (() => Error) | null = null;
  try {
    for await (const chunk of stream) {
      if (refusal) continue;
      message_bytes += chunk.length;
      budget.used_bytes += chunk.length;
      const fault = lines.check(chunk);
      if (fault) refusal = line_fault_replies[fault];
      else if (message_bytes > max_bytes) refusal = replies.messageTooLarge;
      else if (budget.used_bytes > budget.max_bytes) refusal = replies.busy;
      else message.add(chunk);
    }
    if (refusal) throw refusal();
    return await accept(message.toBuffer());
  } finally {
    budget.used_bytes -= message_bytes;
  }
}
