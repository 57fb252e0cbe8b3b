// The health port: /healthz, /readyz and /metrics of a process in any role. It opens before everything else starts and
// closes after everything else has stopped.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { version } from '@parley/contract/version';
import type { HealthAddress } from '../../../config/health.ts';
import { ApiError } from '../../../platform/http/api-error.ts';
import { sendUnparsableRequest } from '../../../platform/http/error-response.ts';
import { asApiError, problemResponse } from '../../../platform/http/problem.ts';
import { endStalledConnections } from '../../../platform/http/stalled-connections.ts';
import type { Ids } from '../../../platform/ids.ts';
import type { Log } from '../../../platform/log.ts';
import { StartError } from '../../../platform/start-error.ts';
import { readyResponse, type Status } from './status.ts';

/** Probes and scrapers need few connections; more are refused. */
const max_connections = 64;
const stall_ms = 10_000;

export type HealthServer = {
  url: string;
  /** Serves this status from now on; before, the port reports `starting`. */
  serve(status: Status): void;
  close(): Promise<void>;
};

type Response = { code: number; type: string; text: string; headers?: Record<string, string> };

const json = (code: number, body: object): Response => ({
  code,
  type: 'application/json; charset=utf-8',
  text: JSON.stringify(body),
});

const readable_paths = ['/healthz', '/readyz', '/metrics'];

/** The error format of the API. */
function refusal(error: ApiError, request_id: string): Response {
  const { status, headers, body } = problemResponse(error, request_id);
  const { 'content-type': type = 'application/problem+json', ...rest } = headers;
  return { code: status, type, text: body, headers: { ...rest, 'x-request-id': request_id } };
}

async function respondTo(
  { path, query }: { path: string; query: string },
  status: Status | null,
  stopping: AbortSignal,
): Promise<Response> {
  switch (path) {
    case '/healthz':
      return json(200, { status: 'alive', version });
    case '/readyz': {
      if (stopping.aborted) return json(503, { status: 'shutting_down', checks: {} });
      if (!status) return json(503, { status: 'starting', checks: {} });
      const purpose = new URLSearchParams(query).get('for');
      const { code, body } = await readyResponse(status.readiness, purpose, { shows_reasons: true });
      return json(code, body);
    }
    case '/metrics': {
      if (!status) return json(503, { status: 'starting' });
      const { content_type, text } = await status.metrics();
      return { code: 200, type: content_type, text };
    }
    default:
      throw new ApiError('not_found', {
        detail: `The health port has only the paths ${readable_paths.join(', ')}.`,
        fix: 'Use one of these paths. The API listens on another port.',
      });
  }
}

export async function startHealthServer(
  address: HealthAddress,
  deps: { log: Log; ids: Ids; say(line: string): void; stopping: AbortSignal },
): Promise<HealthServer> {
  const { log, ids, stopping } = deps;
  let status: Status | null = null;

  const handle = async (request: IncomingMessage, response: ServerResponse) => {
    const [path = '', query = ''] = (request.url ?? '').split('?', 2);
    const is_read = request.method === 'GET' || request.method === 'HEAD';
    const { code, type, text, headers } = await (is_read
      ? respondTo({ path, query }, status, stopping)
      : Promise.reject(new ApiError('method_not_allowed'))
    ).catch((error: unknown) => {
      const problem = asApiError(error);
      if (problem.code === 'internal_error') log.warn({ err: error }, 'health request failed');
      return refusal(problem, ids.next());
    });
    response.writeHead(code, {
      ...headers,
      'content-type': type,
      'content-length': Buffer.byteLength(text),
      'cache-control': 'no-store',
      // The request body is not read, so the connection cannot be reused.
      ...(is_read ? {} : { allow: 'GET, HEAD', connection: 'close' }),
    });
    response.end(request.method === 'HEAD' ? undefined : text);
  };

  const server = createServer({ requestTimeout: 10_000, headersTimeout: 10_000 }, (request, response) => {
    handle(request, response).catch((error) => {
      log.warn({ err: error }, 'health request failed');
      response.destroy();
    });
  });
  server.on('clientError', (error, socket) => sendUnparsableRequest(error, socket as Socket, ids.next()));
  server.maxConnections = max_connections;
  endStalledConnections(server, { stall_ms });

  const listen = (port: number) =>
    new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen({ port, host: address.host }, () => {
        server.off('error', reject);
        resolve();
      });
    });
  const port = await takePort(address, listen, deps.say);
  server.on('error', (error) => log.warn({ err: error }, 'health server error'));

  return {
    url: `http://${address.host.includes(':') ? `[${address.host}]` : address.host}:${port ?? (server.address() as AddressInfo).port}`,
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
 * Listens on the configured port. If the default port is in use (a second process on the same machine), uses any free
 * port and prints it. If a port that the operator chose is in use, the start fails. Returns null where the port is not known yet.
 */
async function takePort(
  { host, port, is_chosen }: HealthAddress,
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
        `The default health port ${port} on ${host} is in use by another program, so any free one is used. Set PARLEY_HEALTH_PORT to give this process a fixed one.`,
      );
      return null;
    }
    if (code === 'EADDRINUSE')
      throw new StartError(
        `The health port ${port} on ${host} is in use by another program. Give every process on this machine a PARLEY_HEALTH_PORT of its own, or 0 for any free one.`,
      );
    if (code === 'EACCES' || code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND')
      throw new StartError(
        `The health port cannot listen on ${host} port ${port} (${code}). Set PARLEY_HEALTH_HOST and PARLEY_HEALTH_PORT to an address of this machine.`,
      );
    throw error;
  }
}
