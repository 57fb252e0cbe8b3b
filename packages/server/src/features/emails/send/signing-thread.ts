// A thread that signs, several texts a question: the way here and back costs a good part of a signature.
import { type KeyObject, sign } from 'node:crypto';
import { answerInThread } from '../../../platform/thread-pool.ts';

export type ToSign = { text: string; key: KeyObject };

answerInThread<ToSign[], string[]>(async (group) => ({
  answer: group.map(({ text, key }) =>
    sign('RSA-SHA256', Buffer.from(text, 'latin1'), key).toString('base64'),
  ),
}));
