// One HTTP exchange with a receiver that nobody vouches for: no redirects, no unpacking, bounded in time and size.

import type { Readable } from 'node:stream';
import { type Dispatcher, errors } from 'undici';
import { ConnectFailed, EgressRefused } from './guarded-connector.ts';

/** An address taken apart once: for those who ask it again and again. */
export type Target = { origin: string; path: string };
export const targetOf = ({ origin, pathname, search }: URL): Target => ({ origin, path: pathname + search });

export type OutgoingRequest = {
  url: Target | string;
  method: Dispatcher.HttpMethod;
  headers?: Record<string, string>;
  body?: string | Buffer;
  /** Covers everything: waiting for a free connection, connecting, the headers and the body. */
  deadline_ms: number;
  /** How much of the answer's body is kept. */
  max_response_bytes: number;
};

export type IncomingAnswer = {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body_start: Buffer;
  duration_ms: number;
};

export type RequestFailure =
  | 'timeout'
  | 'dns_failed'
  | 'connection_failed'
  | 'tls_failed'
  | 'target_not_allowed'
  | 'response_headers_too_large'
  | 'response_invalid';

/** The receiver's failure. Anything else that requestOnce throws (a bad header, a closed agent) is our own. */
export class RequestFailed extends Error {
  override name = 'RequestFailed';
  readonly reason: RequestFailure;
  readonly duration_ms: number;
  constructor(reason: RequestFailure, duration_ms: number, cause?: Error) {
    super(cause?.message ?? `The request failed: ${reason}.`, { cause });
    this.reason = reason;
    this.duration_ms = duration_ms;
  }
}

// What is not kept is still read up to here, because a new connection costs more than the rest of an ordinary page.
const MAX_DRAINED_BYTES = 64 * 1024;

const no_bytes = Buffer.alloc(0);

/**
 * Answers as soon as the part of the body that is kept has arrived; the rest is read in the background so that the
 * connection can be used again, and dropped with the connection when it is too long or too slow.
 */
export function requestOnce(agent: Dispatcher, request: OutgoingRequest): Promise<IncomingAnswer> {
  const { method, headers = {}, body = null, deadline_ms, max_response_bytes } = request;
  const { origin, path } = typeof request.url === 'string' ? targetOf(new URL(request.url)) : request.url;

  return new Promise((resolve, reject) => {
    const started_at = performance.now();
    const elapsed = () => Math.round(performance.now() - started_at);

    let controller: Dispatcher.DispatchController | null = null;
    let status = 0;
    let answer_headers: IncomingAnswer['headers'] = {};
    let received_bytes = 0;
    let chunks: Buffer[] = [];
    let is_settled = false;

    const succeed = () => {
      is_settled = true;
      // The copy lets go of the network buffers that the chunks point into.
      const body_start =
        received_bytes === 0 ? no_bytes : Buffer.concat(chunks, Math.min(received_bytes, max_response_bytes));
      chunks = [];
      resolve({ status, headers: answer_headers, body_start, duration_ms: elapsed() });
    };

    const deadline = setTimeout(() => {
      const error = new RequestFailed('timeout', elapsed());
      if (!is_settled) {
        is_settled = true;
        reject(error);
      }
      controller?.abort(error);
    }, deadline_ms);

    agent.dispatch(
      { origin, path, method, headers, body },
      {
        onRequestStart(started) {
          // Too late: throwing here takes the request back unsent and leaves the connection to others, abort would not.
          if (is_settled) throw new Error('The deadline passed before the request could be sent.');
          controller = started;
        },
        onResponseStart(_controller, status_code, response_headers) {
          status = status_code;
          answer_headers = response_headers;
        },
        onResponseData(_controller, chunk) {
          if (received_bytes < max_response_bytes) chunks.push(chunk);
          received_bytes += chunk.length;
          if (received_bytes > max_response_bytes && !is_settled) succeed();
          if (received_bytes > Math.max(max_response_bytes, MAX_DRAINED_BYTES)) {
            controller?.abort(new Error('The rest of the body is not wanted.'));
          }
        },
        onResponseEnd() {
          clearTimeout(deadline);
          if (!is_settled) succeed();
        },
        onResponseError(_controller, error) {
          clearTimeout(deadline);
          if (is_settled) return;
          is_settled = true;
          const reason = failureOf(error);
          reject(reason ? new RequestFailed(reason, elapsed(), error) : error);
        },
      },
    );
  });
}

/** Reads the start of a body that comes as a stream and destroys the stream when there is more. */
export async function readCapped(body: Readable, max_bytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let received_bytes = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    received_bytes += chunk.length;
    if (received_bytes > max_bytes) break;
  }
  return Buffer.concat(chunks, Math.min(received_bytes, max_bytes));
}

const FAILURE_OF_CODE: Record<string, RequestFailure> = {
  UND_ERR_HEADERS_TIMEOUT: 'timeout',
  UND_ERR_BODY_TIMEOUT: 'timeout',
  UND_ERR_HEADERS_OVERFLOW: 'response_headers_too_large',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'response_invalid',
  UND_ERR_SOCKET: 'connection_failed',
  ETIMEDOUT: 'timeout',
};

/** Null when the error is not the receiver's doing. */
export function failureOf(error: Error & { code?: string; syscall?: string }): RequestFailure | null {
  if (error instanceof EgressRefused || error instanceof ConnectFailed) return error.code;
  if (error instanceof errors.HTTPParserError) return 'response_invalid';
  const code = error.code ?? '';
  if (FAILURE_OF_CODE[code]) return FAILURE_OF_CODE[code];
  if (code.startsWith('ERR_SSL_')) return 'tls_failed';
  return error.syscall === undefined ? null : 'connection_failed';
}
