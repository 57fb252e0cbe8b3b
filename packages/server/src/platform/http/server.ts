// Builds the HTTP server: request ids, error responses, draining, metrics and the routes of all operations.
import { isUtf8 } from 'node:buffer';
import { limits } from '@parley/contract/limits';
import fastify, { type FastifyInstance } from 'fastify';
import { type Drain, makeDrain } from '../drain.ts';
import type { Ids } from '../ids.ts';
import type { Metrics } from '../metrics.ts';
import type { Tracing } from '../tracing/trace.ts';
import { ApiError } from './api-error.ts';
import { closeIdleConnections } from './close-idle-connections.ts';
import type { Caller, Routes } from './context.ts';
import { sendError, sendUnparsableRequest } from './error-response.ts';
import { handledRequest, type LogRequest } from './handled-request.ts';
import { type OpenHolds, openHolds } from './holds.ts';
import { addOperationRoute, type OperationRoute, type RouteDeps } from './operation-route.ts';
import { endStalledConnections } from './stalled-connections.ts';
import { type OpenStreams, openStreams } from './stream-response.ts';
import { traceRequests } from './trace-requests.ts';
import { refuseUnknownRoutes } from './unknown-route.ts';
import { acceptUploads } from './upload.ts';

export type HttpDeps = Omit<RouteDeps, 'streams' | 'holds'> & {
  /** Left out: what is open ends only when its credential is not recognized any more. */
  holds?: OpenHolds;
  ids: Ids;
  metrics: Pick<Metrics, 'observeRequest'>;
  /** Addresses of proxies whose X-Forwarded-For is trusted. */
  trusted_proxies?: string[];
  /** How long a client may read nothing of its response; default one minute. */
  stall_ms?: number;
  /** Once it has begun, requests are refused and streams end. */
  drain?: Drain;
  tracing?: Tracing | null;
  /** Left out: requests are not logged. */
  logRequest?: LogRequest | undefined;
};

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The operation needs no field of a body, so an empty body is like none, whatever its media type. */
    needs_no_body?: boolean;
    /** Served while draining, too: health, and carrier callbacks about calls that are being ended. */
    serves_draining?: boolean;
  }
  interface FastifyRequest {
    caller: Caller | null;
    /** The id of the operation; `other` outside the contract. */
    operation: string;
    /** Monotonic, in milliseconds. */
    began_at: number;
  }
}

export function httpServer(deps: HttpDeps, routes: Routes[]): FastifyInstance {
  const drain = deps.drain ?? makeDrain();
  const streams = openStreams();
  const app = createServer(deps);
  app.decorateRequest('caller', null);
  app.decorateRequest('operation', 'other');
  app.decorateRequest('began_at', 0);
  app.setErrorHandler((error, request, reply) => sendError(deps.log, error, request, reply));
  addDraining(app, drain, streams);
  refuseUnknownRoutes(app);
  endStalledConnections(app.server, { stall_ms: deps.stall_ms ?? 60_000 });
  if (deps.tracing) traceRequests(app, deps.tracing);
  addMeasuring(app, deps);
  addJsonParser(app);
  const { holds = openHolds({ ...deps, refresh: async () => {} }) } = deps;
  addOperations(app, { ...deps, streams, holds }, routes);
  return app;
}

const noSchemas = (): never => {
  throw new Error('A route has a Fastify schema. Declare its input in the contract.');
};

function createServer({ log, ids, trusted_proxies }: HttpDeps): FastifyInstance {
  return fastify({
    bodyLimit: limits.json_body_bytes,
    requestTimeout: 60_000,
    keepAliveTimeout: 72_000,
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    http: { maxHeaderSize: limits.header_bytes },
    // The contract validates requests and responses. Fastify's own compilers are never used, and loading them slows the start.
    schemaController: { compilersFactory: { buildValidator: noSchemas, buildSerializer: noSchemas } },
    // Validation checks the length of parameters; the header limit bounds the path.
    routerOptions: { maxParamLength: limits.header_bytes },
    requestIdHeader: false,
    rewriteUrl: (request) => originForm(request.url ?? '/'),
    trustProxy: trusted_proxies?.length ? trusted_proxies : false,
    genReqId: (request) => {
      const requested = request.headers['x-request-id'];
      return typeof requested === 'string' && /^[A-Za-z0-9._-]{1,64}$/.test(requested)
        ? requested
        : ids.next();
    },
    frameworkErrors: (error, request, reply) => sendError(log, error, request, reply),
    clientErrorHandler: (error, socket) => sendUnparsableRequest(error, socket, ids.next()),
  });
}

/** Every server accepts `GET http://host/path` too (RFC 9112 section 3.2.2); routes and handlers know paths only. */
function originForm(target: string): string {
  const authority = /^https?:\/\/[^/?#]*/i.exec(target)?.[0];
  if (authority === undefined) return target;
  const path = target.slice(authority.length);
  return path.startsWith('/') ? path : `/${path}`;
}

/** While draining, requests are refused, streams end, and connections close as soon as they are idle. */
function addDraining(app: FastifyInstance, drain: Drain, streams: OpenStreams): void {
  app.addHook('onRequest', (request, reply, done) => {
    request.began_at = performance.now();
    reply.header('x-request-id', request.id);
    if (!drain.signal.aborted) return done();
    // The client sends this request again, to another process or to the next start of this one.
    reply.header('connection', 'close');
    const serves_draining = request.routeOptions.config.serves_draining;
    done(serves_draining ? undefined : new ApiError('shutting_down', { retry_after_seconds: 1 }));
  });
  const startClosingIdle = closeIdleConnections(app.server);
  drain.signal.addEventListener('abort', streams.endAll);
  app.addHook('preClose', (done) => {
    drain.begin();
    startClosingIdle();
    done();
  });
}

/** Observes the time until the response starts. Listening for its end would cost a small request more than the rest of this. */
function addMeasuring(app: FastifyInstance, { log, metrics, logRequest }: HttpDeps): void {
  app.addHook('onSend', (request, reply, payload, done) => {
    const duration_ms = performance.now() - request.began_at;
    metrics.observeRequest(request.operation, reply.statusCode, duration_ms);
    if (logRequest) {
      const handled = handledRequest(request, reply, payload, duration_ms);
      if (handled) logRequest(handled);
    }
    if (log.isLevelEnabled('debug')) {
      log.debug(
        {
          request_id: request.id,
          method: request.method,
          route: request.routeOptions.url,
          status: reply.statusCode,
          duration_ms: Math.round(duration_ms),
        },
        'request',
      );
    }
    done();
  });
}

function addJsonParser(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  const parse = app.getDefaultJsonParser('error', 'error');
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    if (body.length === 0 && request.routeOptions.config.needs_no_body) return done(null, undefined);
    if (!isUtf8(body as Buffer)) {
      done(new ApiError('malformed_json', { detail: 'The body is not valid UTF-8.' }));
      return;
    }
    void parse(request, body.toString(), (error, value) =>
      error ? done(new ApiError('malformed_json', { internal: error })) : done(null, value),
    );
  });
}

function addOperations(app: FastifyInstance, deps: RouteDeps, routes: Routes[]): void {
  const all = routes.flatMap(({ group, handlers }) =>
    Object.entries(group.operations).map(([name, operation]): OperationRoute => {
      return { noun: group.noun, name, operation, handler: handlers[name]! };
    }),
  );
  for (const route of all) if (!route.operation.upload) addOperationRoute(app, deps, route);
  // Uploads are in a scope of their own: the multipart plugin adds cost to every request of its scope.
  void app.register(async (scope) => {
    await acceptUploads(scope);
    for (const route of all) if (route.operation.upload) addOperationRoute(scope, deps, route);
  });
}

/** Waits for the requests in progress; when `cut` aborts, their connections are closed. */
export async function closeHttp(app: FastifyInstance, cut: AbortSignal): Promise<void> {
  let closing: NodeJS.Timeout | undefined;
  const end = () => {
    app.server.closeAllConnections();
    // A connection accepted just before the listener closed may appear later.
    closing = setInterval(() => app.server.closeAllConnections(), 50);
  };
  if (cut.aborted) end();
  else cut.addEventListener('abort', end, { once: true });
  await app.close();
  cut.removeEventListener('abort', end);
  clearInterval(closing);
}
