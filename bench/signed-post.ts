// One signed POST, as all senders of the benchmark send it: the plain loop, the peers and the latency limit.
import { createHmac, createSecretKey, type KeyObject } from 'node:crypto';
import { Agent } from 'undici';

const decoded = new Map<string, KeyObject>();
/** The key of the second signature, created once because that is slow. */
function decodedKey(secret: string): KeyObject {
  let key = decoded.get(secret);
  if (!key) {
    key = createSecretKey(secret.slice('whsec_'.length), 'base64');
    decoded.set(secret, key);
  }
  return key;
}

/** Headers of one delivery with both signatures, the same for all senders. */
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

/** Uses the fastest API of undici. */
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
          onResponseEnd: () => (status === 200 ? resolve() : reject(new Error(`status ${status}`))),
          onResponseError: (_controller, error) => reject(error),
        },
      );
    });
}
