// Runs as a process of its own: receives webhooks, verifies every signature, and says when all of them have come.
import { createHmac, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { answerQuestions, type SideProcess } from './side-process.ts';

export type ReceiverQuestion =
  | { ask: 'listen' }
  /** Forgets what came so far; from now on these secrets sign, by path. */
  | { ask: 'begin'; secrets: Record<string, string> }
  /** Answers once so many different deliveries have come to paths other than /hang. */
  | { ask: 'wait'; deliveries: number };

export type ReceiverAnswer = {
  url: string;
  /** When the last of them came, in milliseconds since 1970. */
  last_at: number;
  /** When each came, in the order of coming. */
  arrivals: { id: string; at: number }[];
  repeats: number;
};

export type Receiver = SideProcess<ReceiverQuestion, ReceiverAnswer> & { url: string };

let url = '';
let secrets: Record<string, string> = {};
let arrivals: ReceiverAnswer['arrivals'] = [];
let seen = new Set<string>();
let repeats = 0;
let broken: string | null = null;
let wanted = Number.POSITIVE_INFINITY;
let reached = () => {};

const now = () => performance.timeOrigin + performance.now();

function verify(path: string, signature: string, body: Buffer): boolean {
  const comma = signature.indexOf(',v1=');
  const expected = createHmac('sha256', secrets[path]!)
    .update(`${signature.slice(2, comma)}.`)
    .update(body)
    .digest();
  return timingSafeEqual(expected, Buffer.from(signature.slice(comma + 4, comma + 68), 'hex'));
}

const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const path = request.url!;
    if (path.startsWith('/hang')) return;
    response.writeHead(200).end();
    // A peer may send a message again after its sample is over.
    if (!secrets[path]) return;
    const body = chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks);
    const id = request.headers['x-service-delivery'] as string;
    if (!verify(path, request.headers['x-service-signature'] as string, body)) broken = `${path} ${id}`;
    if (seen.has(id)) {
      repeats++;
      return;
    }
    seen.add(id);
    arrivals.push({ id, at: now() });
    if (seen.size >= wanted) reached();
  });
});

answerQuestions<ReceiverQuestion, ReceiverAnswer>(async (question) => {
  if (question.ask === 'listen') {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }
  if (question.ask === 'begin') {
    secrets = question.secrets;
    arrivals = [];
    seen = new Set();
    repeats = 0;
    broken = null;
    wanted = Number.POSITIVE_INFINITY;
  }
  if (question.ask === 'wait') {
    wanted = question.deliveries;
    if (seen.size < wanted) {
      await new Promise<void>((resolve) => {
        reached = resolve;
      });
    }
    if (broken) throw new Error(`a signature was wrong: ${broken}`);
  }
  return {
    url,
    last_at: arrivals.at(-1)?.at ?? 0,
    arrivals: question.ask === 'wait' ? arrivals : [],
    repeats,
  };
});
