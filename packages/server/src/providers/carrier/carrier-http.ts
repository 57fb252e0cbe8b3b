// Sends one HTTP request to a carrier. The outcome is a response, `busy` (certainly not done) or `lost` (unknown).
import { Agent, request } from 'undici';
import type { CarrierFailure } from './carrier-failure.ts';

export type CarrierResponse =
  | { outcome: 'response'; status: number; json: unknown }
  | Extract<CarrierFailure, { outcome: 'busy' | 'lost' }>;

export type CarrierRequest = {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  url: string;
  headers: Record<string, string>;
  body?: string | Buffer;
  /** Replaces the usual timeout, for requests with long bodies. */
  timeout_ms?: number;
};

const connect_timeout_ms = 5000;
const max_response_bytes = 1024 * 1024;
const longest_retry_after_seconds = 300;

/** Errors that happen before the first byte of the request is sent. */
const unsent_errors = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'CERT_HAS_EXPIRED',
  'ERR_TLS_CERT_ALTNAME_INVALID',
]);

export function carrierHttp(options: { timeout_ms: number }) {
  const agent = new Agent({ connections: 32, connect: { timeout: connect_timeout_ms }, allowH2: false });

  return async ({
    method,
    url,
    headers,
    body,
    timeout_ms = options.timeout_ms,
  }: CarrierRequest): Promise<CarrierResponse> => {
    try {
      const response = await request(url, {
        method,
        headers: { accept: 'application/json', ...headers },
        body: body ?? null,
        dispatcher: agent,
        signal: AbortSignal.timeout(timeout_ms),
      });
      const text = await readText(response.body);
      const status = response.statusCode;
      // 429 is sent before any work is done. A 5xx may come after the work, so its outcome is unknown.
      if (status === 429) {
        const after = Number(response.headers['retry-after']);
        const retry_after_seconds = after > 0 ? Math.min(after, longest_retry_after_seconds) : 1;
        return { outcome: 'busy', retry_after_seconds, detail: 'status 429' };
      }
      if (status >= 500) return { outcome: 'lost', detail: `status ${status}` };
      return { outcome: 'response', status, json: parseJson(text) };
    } catch (error) {
      const { code, message } = error as { code?: string | number; message: string };
      // The code of a timeout is a number that says nothing.
      const detail = typeof code === 'string' ? code : message;
      return unsent_errors.has(detail)
        ? { outcome: 'busy', retry_after_seconds: 1, detail }
        : { outcome: 'lost', detail };
    }
  };
}
export type CarrierHttp = ReturnType<typeof carrierHttp>;

async function readText(body: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body) {
    chunks.push(chunk);
    size += chunk.length;
    if (size > max_response_bytes) throw new Error('the response is too long');
  }
  return Buffer.concat(chunks).toString();
}

/** Null for text that is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** Reads a field of untrusted JSON; undefined when it does not exist. */
export const field = (json: unknown, ...path: (string | number)[]): unknown =>
  path.reduce<unknown>(
    (value, key) =>
      typeof value === 'object' && value !== null
        ? (value as Record<string | number, unknown>)[key]
        : undefined,
    json,
  );

/** A text or number as text; null for other values. */
export const textField = (json: unknown, ...path: (string | number)[]): string | null => {
  const value = field(json, ...path);
  return typeof value === 'string' ? value : typeof value === 'number' ? String(value) : null;
};

/** A list; empty for other values. */
export const listField = (json: unknown, ...path: (string | number)[]): unknown[] => {
  const value = field(json, ...path);
  return Array.isArray(value) ? value : [];
};

/** The operator must correct a credential or URL. Nothing was done, and a later attempt may work. */
export const misconfigured = (status: number): Extract<CarrierFailure, { outcome: 'busy' }> => ({
  outcome: 'busy',
  retry_after_seconds: 60,
  detail: `status ${status}: check the credentials and the base URL of the carrier`,
});

const uuid_pattern = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Null for text that is not a UUID. */
export const uuidOrNull = (text: string | null): string | null =>
  text !== null && uuid_pattern.test(text) ? text : null;
