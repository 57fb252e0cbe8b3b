// Sends JSON responses, JSON-RPC errors and problem details.
import type { ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

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

/** Why a request is refused before the protocol library sees it. */
export type Refusal = {
  status: number;
  code: string;
  message: string;
  fix: string;
  /** The code of JSON-RPC; default: an error of the server. */
  rpc_code?: number;
};

export const internal_error: Refusal = {
  status: 500,
  code: 'internal_error',
  message: 'Internal error',
  fix: 'Try again. If it keeps failing, see the log of the MCP server.',
  rpc_code: -32603,
};

/** At the MCP endpoint: a JSON-RPC error without an id, with code and fix in `data`. */
export function sendError(
  response: ServerResponse,
  { status, code, message, fix, rpc_code = -32000 }: Refusal,
  headers: Headers = {},
): void {
  const error = { code: rpc_code, message, data: { code, fix } };
  sendJson(response, status, JSON.stringify({ jsonrpc: '2.0', error, id: null }), headers);
}

/** The error format of the API (RFC 9457). */
const problemText = ({ status, code, message, fix }: Refusal): string =>
  JSON.stringify({ type: `urn:parley:error:${code}`, title: message, status, detail: message, code, fix });

/** Outside the MCP endpoint. */
export const sendProblem = (response: ServerResponse, refusal: Refusal, headers: Headers = {}): void =>
  sendJson(response, refusal.status, problemText(refusal), {
    'content-type': 'application/problem+json',
    ...headers,
  });

/** Node could not parse the request, so there is only the socket. */
export function sendUnparsable(error: Error & { code?: string }, socket: Duplex): void {
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  const refusal: Refusal = unparsable[error.code ?? ''] ?? {
    status: 400,
    code: 'malformed_request',
    message: 'The request is not valid HTTP.',
    fix: 'Check the URL and the headers that your client sends.',
  };
  const text = problemText(refusal);
  socket.end(
    `HTTP/1.1 ${refusal.status} ${refusal.message}\r\ncontent-type: application/problem+json\r\ncontent-length: ${Buffer.byteLength(text)}\r\nconnection: close\r\n\r\n${text}`,
  );
}

const unparsable: Record<string, Refusal> = {
  HPE_HEADER_OVERFLOW: {
    status: 431,
    code: 'headers_too_large',
    message: 'The headers are too large.',
    fix: 'Send fewer or shorter headers.',
  },
  ERR_HTTP_REQUEST_TIMEOUT: {
    status: 408,
    code: 'request_timeout',
    message: 'The request did not arrive in time.',
    fix: 'Send the request again over a stable connection.',
  },
};
