// Reads the JSON body of a request within limits of size and nesting.
import type { IncomingMessage } from 'node:http';
import type { Refusal } from './json-response.ts';

/** An upload of 6 MiB in base64, and the message around it. */
const max_bytes = 9 * 1024 * 1024;
/** More than any message needs. The protocol library parses recursively: without a limit the stack overflows. */
const max_depth = 64;

export type RequestBody = { ok: true; body: unknown } | { ok: false; refusal: Refusal };

const refusals = {
  too_large: {
    status: 413,
    code: 'payload_too_large',
    message: 'The body is too large',
    fix: `Send at most ${max_bytes} bytes. Upload larger attachments to the API instead.`,
  },
  malformed: {
    status: 400,
    code: 'malformed_json',
    message: 'The body is not valid JSON',
    fix: 'Send one JSON-RPC message as UTF-8 text.',
    rpc_code: -32700,
  },
  too_deep: {
    status: 400,
    code: 'invalid_request',
    message: 'The body is nested too deeply',
    fix: `Use at most ${max_depth} levels of objects and arrays.`,
    rpc_code: -32600,
  },
} satisfies Record<string, Refusal>;

export async function readBody(request: IncomingMessage): Promise<RequestBody> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    size += (chunk as Buffer).length;
    if (size > max_bytes) return { ok: false, refusal: refusals.too_large };
    chunks.push(chunk as Buffer);
  }
  try {
    const body: unknown = JSON.parse(Buffer.concat(chunks).toString('utf8'));
    if (!isDeeperThan(body, max_depth)) return { ok: true, body };
  } catch {
    return { ok: false, refusal: refusals.malformed };
  }
  return { ok: false, refusal: refusals.too_deep };
}

function isDeeperThan(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (depth === 0) return true;
  for (const inner of Object.values(value)) if (isDeeperThan(inner, depth - 1)) return true;
  return false;
}
