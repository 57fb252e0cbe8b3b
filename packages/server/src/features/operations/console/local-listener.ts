// A second listener on this machine, with a port of its own, that exchanges the printed sign-in link for a short-lived one. A
// reverse proxy in front of the server passes on requests of strangers as requests of this machine, but it does not know this
// port: whoever reaches it is on this machine.
import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

const max_body_bytes = 200;
const request_timeout_ms = 10_000;

/** The token is in the fragment of the address, which is sent to no server: a program that previews the link does not use it up. */
const page = (nonce: string) => `<!doctype html><html lang="en"><meta charset="utf-8"><title>Parley</title>
<p>Opening the console. This needs JavaScript.</p>
<script nonce="${nonce}">
const token = location.hash.slice('#sign-in='.length);
history.replaceState(null, '', '/');
fetch('/exchange', { method: 'POST', body: token })
  .then((answer) => answer.text())
  .then((address) => location.replace(address));
</script></html>`;

/** Exchanges the token of the printed link for the address to open. */
type Exchange = (token: string) => string;

/** Returns its origin. Does not keep the process running. */
export async function startLocalListener(host: string, exchange: Exchange) {
  const server = createServer({ requestTimeout: request_timeout_ms }, (request, response) => {
    answer(server, exchange, request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, host, resolve);
  });
  server.unref();
  return {
    origin: originOf(server),
    close(): void {
      server.close();
      server.closeAllConnections();
    },
  };
}
export type LocalListener = Awaited<ReturnType<typeof startLocalListener>>;

function originOf(server: Server): string {
  const { address, family, port } = server.address() as AddressInfo;
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
}

async function answer(
  server: Server,
  exchange: Exchange,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const origin = originOf(server);
  response.setHeader('cache-control', 'no-store');
  response.setHeader('x-content-type-options', 'nosniff');
  // A page of another site can have a name that leads to this machine (DNS rebinding).
  if (`http://${request.headers.host}` !== origin) return end(response, 421, 'Wrong host.');
  if (request.method === 'GET' && request.url === '/') return sendPage(response);
  const is_exchange = request.method === 'POST' && request.url === '/exchange';
  if (!is_exchange) return end(response, 404, 'Not found.');
  const is_own_page = request.headers.origin === origin;
  const is_small = Number(request.headers['content-length'] ?? Infinity) <= max_body_bytes;
  if (!is_own_page || !is_small) return end(response, 403, 'Not allowed.');
  end(response, 200, exchange(await text(request)));
}

function sendPage(response: ServerResponse): void {
  const nonce = randomBytes(16).toString('base64');
  response
    .writeHead(200, {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': `default-src 'none'; script-src 'nonce-${nonce}'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
      'referrer-policy': 'same-origin',
    })
    .end(page(nonce));
}

const end = (response: ServerResponse, status: number, body: string): void =>
  void response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8' }).end(body);
