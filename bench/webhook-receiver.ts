// Runs as a process of its own: receives webhooks, verifies every signature, and says when all of them have come.
// While they come it reads no more of them than where they end, so that it costs the machine little beside the sender;
// the signatures are verified once the last one is here.
import { createHmac, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
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
  /** When each came, in the order of coming, and when its event was made, where its body says so. */
  arrivals: { id: string; at: number; created_at: number }[];
  repeats: number;
};

export type Receiver = SideProcess<ReceiverQuestion, ReceiverAnswer> & { url: string };

type Arrival = { id: string; at: number; path: string; head_end: number; bytes: Buffer };

let url = '';
let secrets: Record<string, string> = {};
let arrivals: Arrival[] = [];
let seen = new Set<string>();
let repeats = 0;
let wanted = Number.POSITIVE_INFINITY;
let reached = () => {};

const now = () => performance.timeOrigin + performance.now();
const taken = Buffer.from('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n');

/** The value of a header in the bytes before `end`; every sender here spells its headers as they are asked for. */
function header(bytes: Buffer, name: string, end: number): string {
  const found = bytes.indexOf(`${name}: `);
  if (found === -1 || found > end) throw new Error(`a request without ${name}`);
  const start = found + name.length + 2;
  return bytes.toString('latin1', start, bytes.indexOf('\r\n', start));
}

/** The request at the start of the bytes; null while it is not complete. */
function readRequest(bytes: Buffer): { head_end: number; end: number } | null {
  const head_end = bytes.indexOf('\r\n\r\n');
  if (head_end === -1) return null;
  const end = head_end + 4 + Number(header(bytes, 'content-length', head_end));
  return bytes.length < end ? null : { head_end, end };
}

function createdAt({ bytes, head_end }: Arrival): number {
  const label = '"created_at":"';
  const found = bytes.indexOf(label, head_end);
  return found === -1
    ? Number.NaN
    : Date.parse(bytes.toString('latin1', found + label.length, found + label.length + 24));
}

function isSigned({ path, bytes, head_end }: Arrival): boolean {
  const signature = header(bytes, 'X-Service-Signature', head_end);
  const comma = signature.indexOf(',v1=');
  const expected = createHmac('sha256', secrets[path]!)
    .update(`${signature.slice(2, comma)}.`)
    .update(bytes.subarray(head_end + 4))
    .digest();
  return timingSafeEqual(expected, Buffer.from(signature.slice(comma + 4, comma + 68), 'hex'));
}

function receive(bytes: Buffer, head_end: number, at: number): void {
  const path = bytes.toString('latin1', 5, bytes.indexOf(' ', 5));
  // A peer may send a message again after its sample is over.
  if (!secrets[path]) return;
  const id = header(bytes, 'X-Service-Delivery', head_end);
  if (seen.has(id)) {
    repeats++;
    return;
  }
  seen.add(id);
  arrivals.push({ id, at, path, head_end, bytes });
  if (seen.size >= wanted) reached();
}

const server = createServer({ noDelay: true }, (socket) => {
  let received: Buffer | null = null;
  socket.on('data', (chunk) => {
    received = received ? Buffer.concat([received, chunk]) : chunk;
    const request = readRequest(received);
    if (!request) return;
    // Nobody here sends a request before the one before it was answered.
    if (request.end !== received.length) throw new Error('more than one request at a time');
    // It is here; the answer comes after that.
    const at = now();
    const bytes = received;
    received = null;
    if (bytes.toString('latin1', 5, 10) === '/hang') return;
    socket.write(taken);
    receive(bytes, request.head_end, at);
  });
  // Whoever hangs up has no answer: that is theirs to count.
  socket.on('error', () => socket.destroy());
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
    wanted = Number.POSITIVE_INFINITY;
  }
  const last_at = () => arrivals.at(-1)?.at ?? 0;
  if (question.ask !== 'wait') return { url, last_at: last_at(), arrivals: [], repeats };
  wanted = question.deliveries;
  if (seen.size < wanted) {
    await new Promise<void>((resolve) => {
      reached = resolve;
    });
  }
  const forged = arrivals.find((arrival) => !isSigned(arrival));
  if (forged) throw new Error(`a signature was wrong: ${forged.path} ${forged.id}`);
  const told = arrivals.map((arrival) => ({
    id: arrival.id,
    at: arrival.at,
    created_at: createdAt(arrival),
  }));
  return { url, last_at: last_at(), arrivals: told, repeats };
});
