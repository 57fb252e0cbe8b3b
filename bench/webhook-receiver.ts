// Runs as a separate process: receives webhooks, verifies every signature, and reports when all have arrived.
// It only finds the end of each request while they arrive, so that it uses little processor time compared with the sender;
// the signatures are verified after the last one.
import { createHmac, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { answerQuestions, type SideProcess } from './side-process.ts';

export type ReceiverQuestion =
  | { ask: 'listen' }
  /** Deletes what was received so far; `secrets` are those of the next deliveries, by path. */
  | { ask: 'begin'; secrets: Record<string, string> }
  /** Responds when this many different deliveries have arrived at paths other than /hang. */
  | { ask: 'wait'; deliveries: number };

export type ReceiverAnswer = {
  url: string;
  /** The time of the last one, in milliseconds since 1970. */
  last_at: number;
  /** The time of each arrival, in order, and the time of its event, if it is in the body. */
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
const ok_response = Buffer.from('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n');

/** The value of a header in the bytes before `end`; all senders here write header names in the same case. */
function header(bytes: Buffer, name: string, end: number): string {
  const found = bytes.indexOf(`${name}: `);
  if (found === -1 || found > end) throw new Error(`a request without ${name}`);
  const start = found + name.length + 2;
  return bytes.toString('latin1', start, bytes.indexOf('\r\n', start));
}

/** The request at the start of the bytes; null while it is incomplete. */
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
  // A peer may repeat a message after the end of its sample.
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
    // No sender here sends a request before the response to the previous one.
    if (request.end !== received.length) throw new Error('more than one request at a time');
    // The arrival is recorded before the response.
    const at = now();
    const bytes = received;
    received = null;
    if (bytes.toString('latin1', 5, 10) === '/hang') return;
    socket.write(ok_response);
    receive(bytes, request.head_end, at);
  });
  // A sender that disconnects counts the failure itself.
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
  const reported = arrivals.map((arrival) => ({
    id: arrival.id,
    at: arrival.at,
    created_at: createdAt(arrival),
  }));
  return { url, last_at: last_at(), arrivals: reported, repeats };
});
