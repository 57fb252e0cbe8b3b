// Reads the JSON body of a request within limits of size and nesting.
import type { IncomingMessage } from 'node:http';

/** An upload of 6 MiB in base64, and the message around it. */
const max_bytes = 9 * 1024 * 1024;
/** More than any message needs. The protocol library parses recursively: without a limit the stack overflows. */
const max_depth = 64;

export type RequestBody =
  | { ok: true; body: unknown }
  | { ok: false; status: 400 | 413; message: string; code: number };

export async function readBody(request: IncomingMessage): Promise<RequestBody> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    size += (chunk as Buffer).length;
    if (size > max_bytes) return { ok: false, status: 413, message: 'The body is too large', code: -32000 };
    chunks.push(chunk as Buffer);
  }
  try {
    const body: unknown = JSON.parse(Buffer.concat(chunks).toString('utf8'));
    if (!isDeeperThan(body, max_depth)) return { ok: true, body };
  } catch {
    return { ok: false, status: 400, message: 'The body is not valid JSON', code: -32700 };
  }
  return { ok: false, status: 400, message: 'The body is nested too deeply', code: -32600 };
}

function isDeeperThan(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (depth === 0) return true;
  for (const inner of Object.values(value)) if (isDeeperThan(inner, depth - 1)) return true;
  return false;
}
