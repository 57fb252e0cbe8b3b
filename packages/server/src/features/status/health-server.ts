// The health port: /healthz, /readyz and /metrics of a process, whatever its roles are. It listens before anything else
// starts and closes after everything else has stopped.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { HealthPlace } from '../../config/health.ts';
import { endStalledConnections } from '../../platform/http/stalled-connections.ts';
import type { Log } from '../../platform/log.ts';
import { StartError } from '../../platform/start-error.ts';
import type { ReadyAnswer, Status } from './status.ts';

/** Probes and scrapers are few; more connections than this are not taken. */
const max_connections = 64;
const stall_ms = 10_000;

export type HealthServer = {
  url: string;
  /** From now on the process answers for itself; before, it is starting. */
  serve(status: Status): void;
  close(): Promise<void>;
};

type Answer = { code: number; type: string; text: string };

const json = (code: number, body: object): Answer => ({
  code,
  type: 'application/json; charset=utf-8',
  text: JSON.stringify(body),
});
const ready = (answer: ReadyAnswer) => json(answer.status === 'ready' ? 200 : 503, answer);

async function answerTo(path: string, status: Status | null, stopping: AbortSignal): Promise<Answer> {
  switch (path) {
    case '/healthz':
      return json(200, { status: 'alive' });
    case '/readyz':
      if (stopping.aborted) return ready({ status: 'shutting_down', checks: {} });
      return ready(status ? await status.readiness() : { status: 'starting', checks: {} });
    case '/metrics': {
      if (!status) return json(503, { status: 'starting' });
      const { content_type, text } = await status.metrics();
      return { code: 200, type: content_type, text };
    }
    default:
      return json(404, { status: 'not_found', paths: ['/healthz', '/readyz', '/metrics'] });
  }
}

export async function startHealthServer(
  place: HealthPlace,
  deps: { log: Log; say(line: string): void; stopping: AbortSignal },
): Promise<HealthServer> {
  const { log, stopping } = deps;
  let status: Status | null = null;

  const handle = async (request: IncomingMessage, response: ServerResponse) => {
    const path = (request.url ?? '').split('?', 1)[0]!;
    const is_read = request.method === 'GET' || request.method === 'HEAD';
    const { code, type, text } = is_read
      ? await answerTo(path, status, stopping)
      : json(405, { status: 'method_not_allowed' });
    response.writeHead(code, {
      'content-type': type,
      'content-length': Buffer.byteLength(text),
      'cache-control': 'no-store',
      // A body that nobody reads must not stay in the way of the next request.
      ...(is_read ? {} : { allow: 'GET, HEAD', connection: 'close' }),
    });
    response.end(request.method === 'HEAD' ? undefined : text);
  };

  const server = createServer({ requestTimeout: 10_000, headersTimeout: 10_000 }, (request, response) => {
    handle(request, response).catch((error) => {
      log.warn({ err: error }, 'the health port could not answer');
      if (!response.headersSent) response.writeHead(500);
      response.end();
    });
  });
  server.maxConnections = max_connections;
  endStalledConnections(server, { stall_ms });

  const listen = (port: number) =>
    new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen({ port, host: place.host }, () => {
        server.off('error', reject);
        resolve();
      });
    });
  const port = await takePort(place, listen, deps.say);
  server.on('error', (error) => log.warn({ err: error }, 'the health port failed'));

  return {
    url: `http://${place.host.includes(':') ? `[${place.host}]` : place.host}:${port ?? (server.address() as AddressInfo).port}`,
    serve(ready_status) {
      status = ready_status;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/**
 * A second process without the role api on the same machine finds the default port taken: it takes another one and says
 * which, rather than run without health. A port that the operator chose is used or the start fails. Returns the port
 * where it is known.
 */
async function takePort(
  { host, port, is_chosen }: HealthPlace,
  listen: (port: number) => Promise<void>,
  say: (line: string) => void,
): Promise<number | null> {
  try {
    await listen(port);
    return port === 0 ? null : port;
  } catch (error) {
    const { code } = error as { code?: string };
    if (code === 'EADDRINUSE' && !is_chosen) {
      await listen(0);
      say(
        `The default health port ${port} on ${host} is taken by another program, so any free one is used. Set PARLEY_HEALTH_PORT to give this process a fixed one.`,
      );
      return null;
    }
    if (code === 'EADDRINUSE')
      throw new StartError(
        `The health port ${port} on ${host} is taken by another program. Give every process on this machine a PARLEY_HEALTH_PORT of its own, or 0 for any free one.`,
      );
    if (code === 'EACCES' || code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND')
      throw new StartError(
        `The health port cannot listen on ${host} port ${port} (${code}). Set PARLEY_HEALTH_HOST and PARLEY_HEALTH_PORT to an address of this machine.`,
      );
    throw error;
  }
}
