// Runs as a separate process: sends HTTP requests over persistent connections, one at a time on each, and counts responses.
// It reads only status and length of a response, so that it uses little processor time compared with the server.
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { answerQuestions } from './side-process.ts';

export type Load = {
  url: string;
  connections: number;
  /** No request is sent after either limit; running requests are awaited and counted. */
  duration_ms: number;
  max_requests: number;
  method: 'GET' | 'POST';
  /** Used in turn. */
  paths: string[];
  headers: Record<string, string>;
  body?: string;
  /** `{number}` in headers or body is replaced by ten digits that count up from here, one per request. */
  first_number?: number;
  /** `{signature}` in headers is replaced by the HMAC-SHA1 of this text, in base64. */
  signature?: { key: string; text: string };
  /** Any other status fails the load. */
  status: number;
};

export type LoadResult = { requests: number; seconds: number; p50_ms: number; p99_ms: number };

const digits = 10;
const signature_chars = 28;
const patience_ms = 30_000;

type Template = { bytes: Buffer; number_offsets: number[]; signature_offset: number };

function requestTemplate(load: Load, path: string): Template {
  const headers = {
    host: new URL(load.url).host,
    ...(load.body === undefined ? {} : { 'content-type': 'application/json' }),
    ...load.headers,
    ...(load.body === undefined
      ? {}
      : {
          'content-length': load.body.replaceAll('{number}', '0'.repeat(digits)).length,
        }),
  };
  const head = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const request = `${load.method} ${path} HTTP/1.1\r\n${head.join('')}\r\n${load.body ?? ''}`;
  const parts = request.replace('{signature}', '='.repeat(signature_chars)).split('{number}');
  let offset = 0;
  const number_offsets = parts.slice(0, -1).map((part) => {
    offset += part.length + digits;
    return offset - digits;
  });
  const bytes = Buffer.from(parts.join('0'.repeat(digits)), 'latin1');
  const signature_offset = load.signature ? bytes.indexOf('='.repeat(signature_chars)) : -1;
  return { bytes, number_offsets, signature_offset };
}

/** End and status of the first response in `bytes`; null while it is incomplete. */
function readAnswer(bytes: Buffer): { end: number; status: number } | null {
  const head_end = bytes.indexOf('\r\n\r\n');
  if (head_end === -1) return null;
  const status = Number(bytes.toString('latin1', 9, 12));
  const end = head_end + 4 + (status === 204 ? 0 : contentLength(bytes, head_end));
  return bytes.length < end ? null : { end, status };
}

function contentLength(bytes: Buffer, head_end: number): number {
  const found = bytes.indexOf('content-length: ');
  if (found !== -1 && found < head_end)
    return Number(bytes.toString('latin1', found + 16, bytes.indexOf('\r', found)));
  const head = bytes.toString('latin1', 0, head_end);
  const length = /\r\ncontent-length: (\d+)/i.exec(head)?.[1];
  if (length === undefined) throw new Error(`a response without a length: ${head}`);
  return Number(length);
}

/** Most requests are signed before the measurement starts, because signing is the work of the carrier. */
const signed_before_a_ms = 15;

async function run(load: Load): Promise<LoadResult> {
  const { hostname, port } = new URL(load.url);
  const templates = load.paths.map((path) => requestTemplate(load, path));
  const latencies_ms = new Float64Array(load.max_requests);
  const refusals = new Map<string, number>();
  let number = load.first_number ?? 0;
  let sent = 0;
  let answered = 0;

  const numberText = (value: number) => String(value).padStart(digits, '0');
  const sign = ({ key, text }: NonNullable<Load['signature']>, of: string) =>
    createHmac('sha1', key).update(text.replaceAll('{number}', of)).digest('base64');
  const first_number = number;
  const signatures = Array.from(
    { length: load.signature ? Math.min(load.max_requests, load.duration_ms * signed_before_a_ms) : 0 },
    (_, index) => sign(load.signature!, numberText(first_number + index)),
  );

  const sockets = await Promise.all(
    Array.from({ length: load.connections }, async () => {
      const socket = connect({ host: hostname, port: Number(port), noDelay: true });
      await once(socket, 'connect');
      return socket;
    }),
  );
  const start = performance.now();
  const end = start + load.duration_ms;

  const drive = (socket: Socket) =>
    new Promise<void>((resolve, reject) => {
      // Each connection has its own buffer, which is reused after the response.
      const own = templates.map(({ bytes }) => Buffer.from(bytes));
      let sent_at = 0;
      let received: Buffer | null = null;

      const send = () => {
        sent_at = performance.now();
        if (sent === load.max_requests || sent_at >= end) {
          resolve();
          return;
        }
        const index = sent++ % own.length;
        const bytes = own[index]!;
        const { number_offsets, signature_offset } = templates[index]!;
        if (number_offsets.length > 0) {
          const text = numberText(number);
          for (const offset of number_offsets) bytes.write(text, offset, 'latin1');
          if (load.signature) {
            const signature = signatures[number - first_number] ?? sign(load.signature, text);
            bytes.write(signature, signature_offset, 'latin1');
          }
          number++;
        }
        socket.write(bytes);
      };

      socket.on('data', (chunk) => {
        received = received ? Buffer.concat([received, chunk]) : chunk;
        let answer: { end: number; status: number } | null;
        try {
          answer = readAnswer(received);
        } catch (error) {
          reject(error);
          return;
        }
        if (!answer) return;
        if (answer.end !== received.length) {
          reject(new Error('the server sent more than one response'));
          return;
        }
        latencies_ms[answered++] = performance.now() - sent_at;
        if (answer.status !== load.status) {
          const sample = `${answer.status}: ${received.toString('utf8', received.indexOf('\r\n\r\n') + 4)}`;
          refusals.set(sample.slice(0, 300), (refusals.get(sample.slice(0, 300)) ?? 0) + 1);
        }
        received = null;
        send();
      });
      socket.on('error', reject);
      socket.on('close', () => reject(new Error('the server closed a connection')));
      socket.setTimeout(patience_ms, () => reject(new Error(`no response within ${patience_ms} ms`)));
      send();
    });

  try {
    await Promise.all(sockets.map(drive));
  } finally {
    for (const socket of sockets) socket.destroy();
  }
  const seconds = (performance.now() - start) / 1000;
  if (refusals.size > 0) {
    const [[sample, count]] = [...refusals] as [[string, number]];
    throw new Error(
      `expected ${load.status} from every ${load.method} ${load.paths[0]}; ${count} times ${sample}`,
    );
  }
  const sorted = latencies_ms.subarray(0, answered).sort();
  const at = (share: number) => sorted[Math.floor((answered - 1) * share)] ?? 0;
  return { requests: answered, seconds, p50_ms: at(0.5), p99_ms: at(0.99) };
}

answerQuestions(run);
