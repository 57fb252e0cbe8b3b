// The thread that signs. It gets several texts in one task, because posting a task costs a good part of a signature.
import { type KeyObject, sign } from 'node:crypto';
import { handleTasks } from '../../../../../platform/thread-pool.ts';

export type SigningTask = { text: string; key: KeyObject };

handleTasks<SigningTask[], string[]>(async (group) => ({
  result: group.map(({ text, key }) =>
    sign('RSA-SHA256', Buffer.from(text, 'latin1'), key).toString('base64'),
  ),
}));
