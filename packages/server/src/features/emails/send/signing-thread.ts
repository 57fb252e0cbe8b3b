// A thread that signs, several texts a question: the way here and back costs a good part of a signature.
import { type KeyObject, sign } from 'node:crypto';
import { handleTasks } from '../../../platform/thread-pool.ts';

export type ToSign = { text: string; key: KeyObject };

handleTasks<ToSign[], string[]>(async (group) => ({
  result: group.map(({ text, key }) =>
    sign('RSA-SHA256', Buffer.from(text, 'latin1'), key).toString('base64'),
  ),
}));
