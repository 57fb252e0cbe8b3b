// Receivers with the usual mistakes, checked over HTTP.
import assert from 'node:assert/strict';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, describe, test } from 'node:test';
import { certifyReceiver, createParley, type ReceiverRequest } from './index.ts';
import { receiver_cases } from './receiver-cases.ts';

const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const parley = createParley({ api_key: '' });
const stops: (() => void)[] = [];
after(() => {
  for (const stop of stops) stop();
});

type Answer = { status: number; headers?: Record<string, string> };
type Receive = (body: Buffer, headers: IncomingMessage['headers']) => Answer | Promise<Answer>;

async function startReceiver(receive: Receive): Promise<string> {
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part);
    const { status, headers } = await receive(Buffer.concat(parts), request.headers);
    response.writeHead(status, headers).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  stops.push(() => server.close().closeAllConnections());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

async function send(url: string, { headers, body }: ReceiverRequest) {
  try {
    const response = await fetch(url, { method: 'POST', headers, body });
    const is_duplicate = response.headers.get('x-parley-duplicate') === '1';
    return { status: response.status, duration_ms: 1, problem: null, is_duplicate };
  } catch (error) {
    const { code } = (error as Error).cause as { code: string };
    return { status: null, duration_ms: 1, problem: code, is_duplicate: false };
  }
}

async function certify(receive: Receive) {
  const url = await startReceiver(receive);
  return certifyReceiver({ secret, send: (request) => send(url, request) });
}

const failed = ({ cases }: Awaited<ReturnType<typeof certify>>) =>
  cases.filter(({ passed }) => !passed).map(({ name }) => name);

const adviceFor = ({ cases }: Awaited<ReturnType<typeof certify>>, name: string) =>
  cases.find((each) => each.name === name)!.advice ?? '';

/** What the guide shows: verify the raw body, store the delivery id once. */
function correctReceiver(): Receive {
  const seen = new Set<string>();
  return async (body, headers) => {
    try {
      await parley.webhooks.verify(body, headers, secret);
    } catch {
      return { status: 401 };
    }
    const id = String(headers['webhook-id'] ?? headers['x-service-delivery']);
    const is_duplicate = seen.has(id);
    seen.add(id);
    return is_duplicate ? { status: 200, headers: { 'x-parley-duplicate': '1' } } : { status: 200 };
  };
}

describe('certifying a receiver', () => {
  test('gives a correct one the full score', async () => {
    const result = await certify(correctReceiver());
    assert.deepEqual([failed(result), result.score, result.grade], [[], 100, 'A']);
    assert.equal(
      receiver_cases.reduce((sum, { weight }) => sum + weight, 0),
      100,
    );
  });

  test('says that signatures are not checked', async () => {
    const result = await certify(() => ({ status: 204 }));
    assert.deepEqual(failed(result), ['tampered_body', 'wrong_secret', 'no_signature', 'stale', 'duplicate']);
    assert.match(adviceFor(result, 'wrong_secret'), /not checked/);
  });

  test('names a body that is parsed before it is verified, or another secret', async () => {
    const correct = correctReceiver();
    const reserialized = await certify((body, headers) => {
      const parsed = Buffer.from(JSON.stringify(JSON.parse(body.toString()), null, 1));
      return correct(parsed, headers);
    });
    assert.match(adviceFor(reserialized, 'valid'), /parsed and serialized/);
    assert.equal(reserialized.grade, 'F');
  });

  test('finds a missing limit of age, a missing rotation and a refusal of unknown types', async () => {
    const tolerant = await certify(async (body, headers) => {
      try {
        await parley.webhooks.verify(body, headers, secret, { tolerance_seconds: 86_400 });
        return { status: 200, headers: { 'x-parley-duplicate': '1' } };
      } catch {
        return { status: 400 };
      }
    });
    assert.deepEqual(failed(tolerant), ['stale']);
    const correct = correctReceiver();
    const first_only = await certify((body, headers) => {
      const [t, v1] = String(headers['x-service-signature'] ?? '').split(',');
      return correct(body, { ...headers, 'x-service-signature': `${t},${v1}` });
    });
    assert.ok(failed(first_only).includes('rotated_secret'));
    const strict = correctReceiver();
    const known_types = await certify((body, headers) =>
      String(headers['x-service-event']).startsWith('certification.')
        ? { status: 400 }
        : strict(body, headers),
    );
    assert.deepEqual(failed(known_types), ['unknown_type']);
  });

  test('stops after the first request when there is no server', async () => {
    const url = await startReceiver(() => ({ status: 200 }));
    stops.pop()!();
    let sent = 0;
    const result = await certifyReceiver({
      secret,
      send(request) {
        sent++;
        return send(url, request);
      },
    });
    assert.equal(sent, 1);
    assert.equal(result.score, 0);
    assert.match(adviceFor(result, 'valid'), /ECONNREFUSED/);
  });
});
