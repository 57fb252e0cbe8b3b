// One HTTP exchange whose response is streamed; limited by its signal, its size and pauses between chunks.
import type { Readable } from 'node:stream';
import { type Dispatcher, request } from 'undici';
import { failureOf, RequestFailed, readCapped } from './request-once.ts';

export type StreamedResponse = { content_type: string; body: AsyncIterable<Buffer> };

/** The server responded with an error status. */
export class ErrorStatus extends Error {
  override name = 'ErrorStatus';
  readonly status: number;
  constructor(status: number, body_start: string) {
    super(`answered ${status}${body_start === '' ? '' : `: ${body_start}`}`);
    this.status = status;
  }
  /** Whether the same request may succeed later. */
  get retryable(): boolean {
    return this.status === 408 || this.status === 425 || this.status === 429 || this.status >= 500;
  }
}

const quoted_bytes = 300;

export async function requestStream(
  agent: Dispatcher,
  options: {
    url: URL;
    headers: Record<string, string>;
    body: string | Buffer;
    signal: AbortSignal;
    max_response_bytes: number;
  },
): Promise<StreamedResponse> {
  const started_at = performance.now();
  const failed = (error: unknown): unknown => {
    if (options.signal.aborted) return options.signal.reason;
    const reason = failureOf(error as Error);
    return reason
      ? new RequestFailed(reason, Math.round(performance.now() - started_at), error as Error)
      : error;
  };
  let response: Dispatcher.ResponseData;
  try {
    const { url, headers, body, signal } = options;
    response = await request(url, { method: 'POST', headers, body, signal, dispatcher: agent });
  } catch (error) {
    throw failed(error);
  }
  const { statusCode, body } = response;
  if (statusCode < 200 || statusCode > 299) {
    const start = await readCapped(body as Readable, quoted_bytes).catch(() => Buffer.alloc(0));
    throw new ErrorStatus(statusCode, start.toString('utf8').replace(/\s+/g, ' ').trim());
  }
  return {
    content_type: String(response.headers['content-type'] ?? ''),
    body: (async function* () {
      let received_bytes = 0;
      try {
        for await (const chunk of body as AsyncIterable<Buffer>) {
          received_bytes += chunk.length;
          if (received_bytes > options.max_response_bytes) {
            throw new RequestFailed('response_invalid', Math.round(performance.now() - started_at));
          }
          yield chunk;
        }
      } catch (error) {
        throw error instanceof RequestFailed ? error : failed(error);
      } finally {
        (body as Readable).on('error', () => {}).destroy();
      }
    })(),
  };
}
