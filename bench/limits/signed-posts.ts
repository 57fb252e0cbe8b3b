// Limit of a webhook sender: one process that creates, signs and posts messages over persistent connections, and stores nothing.
import { randomUUID } from 'node:crypto';
import { answerQuestions } from '../side-process.ts';
import { poster, signedHeaders } from '../signed-post.ts';

export type SignedPosts = {
  url: string;
  path: string;
  secret: string;
  /** The body of one message. */
  data: Record<string, unknown>;
  count: number;
  connections: number;
};

answerQuestions<SignedPosts, { seconds: number }>(async (plan) => {
  const post = poster(plan.url, plan.path, plan.connections);
  const start = performance.now();
  let left = plan.count;
  const sendOnConnection = async () => {
    while (left-- > 0) {
      const id = randomUUID();
      const body = JSON.stringify({ id, type: 'call.completed', data: plan.data });
      await post(body, signedHeaders(plan.secret, id, body));
    }
  };
  await Promise.all(Array.from({ length: plan.connections }, sendOnConnection));
  return { seconds: (performance.now() - start) / 1000 };
});
