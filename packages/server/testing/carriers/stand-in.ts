// A local server that plays a carrier: keeps state, remembers every request, and breaks where a test tells it to.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * `too_many` and `broken` do nothing and answer 429 and 500; `silent` does nothing and never answers; `lost` does the
 * work and cuts the connection before the answer; `held` does the work and never answers; `broken_after` does the
 * work and answers 500.
 */
export type Fault = 'too_many' | 'broken' | 'silent' | 'lost' | 'held' | 'broken_after';

export type SeenRequest = {
  method: string;
  /** Without the query. */
  path: string;
  query: URLSearchParams;
  headers: IncomingMessage['headers'];
  body: string;
};

export type Reply = { status: number; json?: unknown };

export type StandIn = {
  url: string;
  seen: SeenRequest[];
  /** The next request that fits meets this fault. */
  failNext(fault: Fault, fits?: (request: SeenRequest) => boolean): void;
  close(): Promise<void>;
};

export async function startStandIn(answer: (request: SeenRequest) => Reply): Promise<StandIn> {
  const seen: SeenRequest[] = [];
  const faults: { fault: Fault; fits: (request: SeenRequest) => boolean }[] = [];

  const handle = async (incoming: IncomingMessage, response: ServerResponse) => {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    const url = new URL(incoming.url!, 'http://stand-in');
    const request: SeenRequest = {
      method: incoming.method!,
      path: url.pathname,
      query: url.searchParams,
      headers: incoming.headers,
      body: Buffer.concat(chunks).toString(),
    };
    seen.push(request);
    const index = faults.findIndex(({ fits }) => fits(request));
    const fault = index === -1 ? null : faults.splice(index, 1)[0]!.fault;
    const say = ({ status, json }: Reply) => {
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(json === undefined ? '' : JSON.stringify(json));
    };
    if (fault === 'too_many')
      return say({ status: 429, json: { code: 20429, message: 'Too many requests' } });
    if (fault === 'broken') return say({ status: 500, json: { message: 'Internal error' } });
    if (fault === 'silent') return;
    const reply = answer(request);
    if (fault === 'lost') return void response.destroy();
    if (fault === 'held') return;
    if (fault === 'broken_after') return say({ status: 500, json: { message: 'Internal error' } });
    say(reply);
  };

  const server = createServer((incoming, response) => {
    handle(incoming, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    seen,
    failNext: (fault, fits = () => true) => void faults.push({ fault, fits }),
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}
