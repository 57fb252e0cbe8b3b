// Limit of a webhook sender: one process that writes, signs and posts messages over kept connections, and stores nothing.
import { createHmac, createSecretKey, type KeyObject, randomUUID } from 'node:crypto';
import { Agent } from 'undici';
import { answerQuestions } from '../side-process.ts';

export type SignedPosts = {
  url: string;
  path: string;
  secret: string;
  /** What one message says. */
  data: Record<string, unknown>;
  count: number;
  connections: number;
};

const decoded = new Map<string, KeyObject>();
/** The key of the second signature, made once: that is dear. */
function decodedKey(secret: string): KeyObject {
  let key = decoded.get(secret);
  if (!key) {
    key = createSecretKey(secret.slice('whsec_'.length), 'base64');
    decoded.set(secret, key);
  }
  return key;
}

/** Headers of one delivery with both its signatures, as every sender of the benchmark writes them. */
export function signedHeaders(secret: string, id: string, body: string): Record<string, string> {
  const timestamp = Math.floor(Date.now() / 1000);
  const own = createHmac('sha256', secret).update(`${timestamp}.`).update(body).digest('hex');
  const standard = createHmac('sha256', decodedKey(secret))
    .update(`${id}.${timestamp}.`)
    .update(body)
    .digest('base64');
  return {
    'Content-Type': 'application/json',
    'User-Agent': 'Benchmark/1',
    'X-Service-Event': 'call.completed',
    'X-Service-Delivery': id,
    'X-Service-Subscription': id,
    'X-Service-Signature': `t=${timestamp},v1=${own}`,
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': `v1,${standard}`,
  };
}

export type Post = (body: string, headers: Record<string, string>) => Promise<void>;

/** The fastest way undici has. */
export function poster(url: string, path: string, connections: number): Post {
  const agent = new Agent({ connections, pipelining: 1 });
  return (body, headers) =>
    new Promise((resolve, reject) => {
      let status = 0;
      agent.dispatch(
        { origin: url, path, method: 'POST', headers, body },
        {
          onRequestStart() {},
          onResponseStart(_controller, code) {
            status = code;
          },
          onResponseData() {},
          onResponseEnd: () => (status === 200 ? resolve() : reject(new Error(`answered ${status}`))),
          onResponseError: (_controller, error) => reject(error),
        },
      );
    });
}

if (process.send) {
  answerQuestions<SignedPosts, { seconds: number }>(async (plan) => {
    const post = poster(plan.url, plan.path, plan.connections);
    const start = performance.now();
    let left = plan.count;
    const lane = async () => {
      while (left-- > 0) {
        const id = randomUUID();
        const body = JSON.stringify({ id, type: 'call.completed', data: plan.data });
        await post(body, signedHeaders(plan.secret, id, body));
      }
    };
    await Promise.all(Array.from({ length: plan.connections }, lane));
    return { seconds: (performance.now() - start) / 1000 };
  });
}
