// One request to a carrier, and what its ending means: done, certainly not done, or nobody knows.
import { Agent, request } from 'undici';
import type { CarrierFailure } from './carrier.ts';

export type Answered = { outcome: 'answered'; status: number; json: unknown };
export type CarrierResponse = Answered | Extract<CarrierFailure, { outcome: 'busy' | 'lost' }>;

export type CarrierRequest = {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  url: string;
  headers: Record<string, string>;
  body?: string;
};

const connect_timeout_ms = 5000;
const max_answer_bytes = 1024 * 1024;

/** Failures that happen before a byte of the request is written. */
const unsent = new Set([
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

  return async (wanted: CarrierRequest): Promise<CarrierResponse> => {
    try {
      const { statusCode, headers, body } = await request(wanted.url, {
        method: wanted.method,
        headers: { accept: 'application/json', ...wanted.headers },
        body: wanted.body ?? null,
        dispatcher: agent,
        signal: AbortSignal.timeout(options.timeout_ms),
      });
      const text = await readText(body);
      // Too many requests is said at the door; an error of the server may come after the work.
      if (statusCode === 429) {
        const after = Number(headers['retry-after']);
        return {
          outcome: 'busy',
          retry_after_seconds: after > 0 && after <= 300 ? after : 1,
          detail: 'status 429',
        };
      }
      if (statusCode >= 500) return { outcome: 'lost', detail: `status ${statusCode}` };
      return { outcome: 'answered', status: statusCode, json: parsed(text) };
    } catch (error) {
      const { code = '', message } = error as { code?: string; message: string };
      return unsent.has(code)
        ? { outcome: 'busy', retry_after_seconds: 1, detail: code }
        : { outcome: 'lost', detail: code || message };
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
    if (size > max_answer_bytes) throw new Error('the answer is too long');
  }
  return Buffer.concat(chunks).toString();
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** Reads a field of an answer that may have any shape. */
export const field = (json: unknown, ...path: (string | number)[]): unknown =>
  path.reduce<unknown>(
    (value, key) =>
      typeof value === 'object' && value !== null
        ? (value as Record<string | number, unknown>)[key]
        : undefined,
    json,
  );

export const textField = (json: unknown, ...path: (string | number)[]): string | null => {
  const value = field(json, ...path);
  return typeof value === 'string' ? value : typeof value === 'number' ? String(value) : null;
};

export const listField = (json: unknown, ...path: (string | number)[]): unknown[] => {
  const value = field(json, ...path);
  return Array.isArray(value) ? value : [];
};

/** A credential or address that the operator must correct: nothing was done, and later it may work. */
export const misconfigured = (status: number): CarrierFailure => ({
  outcome: 'busy',
  retry_after_seconds: 60,
  detail: `status ${status}: check the credentials and the base URL of the carrier`,
});
