// The thread that reads submitted messages, so that none of them blocks the event loop.
import { handleTasks } from '../../../platform/thread-pool.ts';
import { readSubmission, type SubmittedMessage } from '../../../protocols/mail/mime/read-submission.ts';
import { UnreadableMessage } from '../../../protocols/mail/mime/structure.ts';

export type ParseTask = { raw: Uint8Array<ArrayBuffer> };
export type ParseResult = { message: SubmittedMessage } | { unreadable: string; is_too_large: boolean };

handleTasks<ParseTask, ParseResult>(async ({ raw }) => {
  try {
    const message = readSubmission(Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength));
    return { result: { message }, transfer: [] };
  } catch (error) {
    if (!(error instanceof UnreadableMessage)) throw error;
    return { result: { unreadable: error.message, is_too_large: error.is_too_large }, transfer: [] };
  }
});
