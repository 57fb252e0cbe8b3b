// One HTTP exchange with an untrusted server: no redirects, no decompression, limited in time and size.

import type { Readable } from 'node:stream';
import { type Dispatcher, errors } from 'undici';
import { ConnectFailed, EgressRefused } from './guarded-connector.ts';

/** A parsed URL: parse once for repeated requests. */
export type Target = { origin: string; path: string };
export const targetOf = ({ origin, pathname, search }: URL): Target => ({ origin, path: pathname + search });

export type OutgoingRequest = {
  url: Target | string;
  method: Dispatcher.HttpMethod;
  headers?: Record<string, string>;
  body?: string | Buffer;
  /** Covers everything: waiting for a free connection, connecting, the headers and the body. */
  deadline_ms: number;
  /** How much of the response body is returned. */
  max_response_bytes: number;
};

export type IncomingResponse = {
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

/** A failure of the server. Other errors of requestOnce (an invalid header, a closed agent) are bugs of the caller. */
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

// The rest of a body is read up to this size, because a new connection costs more than reading an ordinary page.
const MAX_DRAINED_BYTES = 64 * 1024;

const no_bytes = Buffer.alloc(0);

/**
 * Resolves as soon as the returned part of the body has arrived. The rest is read in the background so that the
 * connection can be reused; if it is too long or too slow, the connection is closed.
 */
export function requestOnce(agent: Dispatcher, request: OutgoingRequest): Promise<IncomingResponse> {
  const { method, headers = {}, body = null, deadline_ms, max_response_bytes } = request;
  const { origin, path } = typeof request.url === 'string' ? targetOf(new URL(request.url)) : request.url;

  return new Promise((resolve, reject) => {
    const started_at = performance.now();
    const elapsed = () => Math.round(performance.now() - started_at);

    let controller: Dispatcher.DispatchController | null = null;
    let status = 0;
    let response_headers: IncomingResponse['headers'] = {};
    let received_bytes = 0;
    let chunks: Buffer[] = [];
    let is_settled = false;

    const succeed = () => {
      is_settled = true;
      // The copy releases the network buffers that the chunks point into.
      const body_start =
        received_bytes === 0 ? no_bytes : Buffer.concat(chunks, Math.min(received_bytes, max_response_bytes));
      chunks = [];
      resolve({ status, headers: response_headers, body_start, duration_ms: elapsed() });
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
          // After the deadline: throwing here cancels the request before it is sent and keeps the connection; abort would not.
          if (is_settled) throw new Error('The deadline passed before the request could be sent.');
          controller = started;
        },
        onResponseStart(_controller, status_code, headers) {
          status = status_code;
          response_headers = headers;
        },
        onResponseData(_controller, chunk) {
          if (received_bytes < max_response_bytes) chunks.push(chunk);
          received_bytes += chunk.length;
          if (received_bytes > max_response_bytes && !is_settled) succeed();
          if (received_bytes > Math.max(max_response_bytes, MAX_DRAINED_BYTES)) {
            controller?.abort(new Error('The body is too long.'));
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

/** Reads the start of a streamed body and destroys the stream when there is more. */
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

/** Null when the server did not cause the error. */
export function failureOf(error: Error & { code?: string; syscall?: string }): RequestFailure | null {
  if (error instanceof EgressRefused || error instanceof ConnectFailed) return error.code;
  if (error instanceof errors.HTTPParserError) return 'response_invalid';
  const code = error.code ?? '';
  if (FAILURE_OF_CODE[code]) return FAILURE_OF_CODE[code];
  if (code.startsWith('ERR_SSL_')) return 'tls_failed';
  return error.syscall === undefined ? null : 'connection_failed';
}
