// Sends JSON responses and JSON-RPC errors.
import type { ServerResponse } from 'node:http';

export type Headers = Readonly<Record<string, string>>;

export function sendJson(
  response: ServerResponse,
  status: number,
  text: string,
  headers: Headers = {},
): void {
  response.writeHead(status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(text),
    ...headers,
  });
  response.end(text);
}

/** A JSON-RPC error without an id, for requests that the protocol library never sees. */
export function sendError(
  response: ServerResponse,
  status: number,
  message: string,
  headers: Headers = {},
  code = -32000,
): void {
  sendJson(response, status, JSON.stringify({ jsonrpc: '2.0', error: { code, message }, id: null }), headers);
}
