// A local HTTP server that simulates a carrier: it records every request, and fails where a test requests it.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * `too_many` and `broken` do nothing and respond with 429 and 500; `silent` does nothing and never responds; `lost` does
 * the work and closes the connection without a response; `held` does the work and never responds; `broken_after` does
 * the work and responds with 500.
 */
export type Fault = 'too_many' | 'broken' | 'silent' | 'lost' | 'held' | 'broken_after';

export type SeenRequest = {
  method: string;
  /** Without the query. */
  path: string;
  query: URLSearchParams;
  headers: IncomingMessage['headers'];
  body: string;
  bytes: Buffer;
};

export type Reply = { status: number; json?: unknown };

export type StandIn = {
  url: string;
  seen: SeenRequest[];
  /** The next matching request gets this fault. */
  failNext(fault: Fault, matches?: (request: SeenRequest) => boolean): void;
  /** All matching requests get this fault until the returned function is called. */
  failAll(fault: Fault, matches?: (request: SeenRequest) => boolean): () => void;
  /** The answer to the next matching request is made when the request arrives, and sent when the test says so. */
  delayNext(matches: (request: SeenRequest) => boolean): { arrived: Promise<void>; send(): void };
  close(): Promise<void>;
};

export async function startStandIn(handler: (request: SeenRequest) => Reply): Promise<StandIn> {
  const seen: SeenRequest[] = [];
  type Planned = { fault: Fault; matches: (request: SeenRequest) => boolean; stays: boolean };
  const faults = new Set<Planned>();
  type Delayed = { matches: Planned['matches']; arrived(): void; sent: Promise<void> };
  const delays = new Set<Delayed>();

  const handle = async (incoming: IncomingMessage, response: ServerResponse) => {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    const url = new URL(incoming.url!, 'http://stand-in');
    const bytes = Buffer.concat(chunks);
    const request: SeenRequest = {
      method: incoming.method!,
      path: url.pathname,
      query: url.searchParams,
      headers: incoming.headers,
      body: bytes.toString(),
      bytes,
    };
    seen.push(request);
    const planned = [...faults].find(({ matches }) => matches(request));
    if (planned && !planned.stays) faults.delete(planned);
    const fault = planned?.fault ?? null;
    const respond = ({ status, json }: Reply) => {
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(json === undefined ? '' : JSON.stringify(json));
    };
    if (fault === 'too_many')
      return respond({ status: 429, json: { code: 20429, message: 'Too many requests' } });
    if (fault === 'broken') return respond({ status: 500, json: { message: 'Internal error' } });
    if (fault === 'silent') return;
    const reply = handler(request);
    const delayed = [...delays].find(({ matches }) => matches(request));
    if (delayed) {
      delays.delete(delayed);
      delayed.arrived();
      await delayed.sent;
    }
    if (fault === 'lost') return void response.destroy();
    if (fault === 'held') return;
    if (fault === 'broken_after') return respond({ status: 500, json: { message: 'Internal error' } });
    respond(reply);
  };

  const server = createServer((incoming, response) => {
    handle(incoming, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    seen,
    failNext: (fault, matches = () => true) => void faults.add({ fault, matches, stays: false }),
    failAll(fault, matches = () => true) {
      const planned = { fault, matches, stays: true };
      faults.add(planned);
      return () => void faults.delete(planned);
    },
    delayNext(matches) {
      const [arrived, sent] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      delays.add({ matches, arrived: arrived.resolve, sent: sent.promise });
      return { arrived: arrived.promise, send: sent.resolve };
    },
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}
