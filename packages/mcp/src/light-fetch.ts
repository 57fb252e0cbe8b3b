// Requests to the API at half the cost of the general fetch: kept connections, JSON in, JSON out, no redirects.
import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';

type Fetch = typeof globalThis.fetch;

/** Has of a Response what the client library asks for, and nothing else. */
function answerOf(message: IncomingMessage, text: string): Response {
  const headers = { get: (name: string) => [message.headers[name]].flat()[0] ?? null };
  return {
    status: message.statusCode!,
    headers,
    json: async () => JSON.parse(text),
  } as unknown as Response;
}

/** Uploads, which are rare, go the general way. */
export function lightFetch(general: Fetch = globalThis.fetch): Fetch {
  const options = { keepAlive: true, maxSockets: 256, scheduling: 'lifo' } as const;
  const plain = new HttpAgent(options);
  const secure = new HttpsAgent(options);

  return (place, init = {}) => {
    const { method, headers, body, signal } = init;
    if (body != null && typeof body !== 'string') return general(place, init);
    const is_secure = String(place).startsWith('https:');
    return new Promise((resolve, reject) => {
      const sent = (is_secure ? httpsRequest : httpRequest)(
        String(place),
        {
          method: method ?? 'GET',
          agent: is_secure ? secure : plain,
          headers: {
            ...(headers as Record<string, string>),
            ...(body == null ? {} : { 'content-length': Buffer.byteLength(body) }),
          },
          ...(signal ? { signal } : {}),
        },
        (message) => {
          let text = '';
          message.setEncoding('utf8').on('data', (chunk: string) => {
            text += chunk;
          });
          message.on('end', () => resolve(answerOf(message, text)));
          message.on('error', reject);
        },
      );
      sent.on('error', reject);
      sent.end(body ?? undefined);
    });
  };
}
