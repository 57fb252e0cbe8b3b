// Builds the HTTP server: authentication, ceiling, validation and error answers are the same for every operation.
import { isUtf8 } from 'node:buffer';
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import { errors } from '@parley/contract/errors';
import { limits } from '@parley/contract/limits';
import type { Operation, TextStream } from '@parley/contract/operation';
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import type { Clock } from '../clock.ts';
import { DatabaseUnavailable } from '../db/database.ts';
import { isDiskFull } from '../disk-space.ts';
import { type Drain, makeDrain } from '../drain.ts';
import { type Idempotency, isKeyTaken } from '../idempotency.ts';
import type { Ids } from '../ids.ts';
import type { Log } from '../log.ts';
import type { Metrics } from '../metrics.ts';
import { ApiError } from './api-error.ts';
import { authentication } from './authenticate.ts';
import type { Ceilings } from './ceilings.ts';
import { closeIdleConnections } from './close-idle-connections.ts';
import type { Authenticator, Caller, Context, Handler, Routes } from './context.ts';
import type { FailedCredentials } from './failed-credentials.ts';
import { JsonText } from './json-text.ts';
import { asApiError, problemAnswer } from './problem.ts';
import { endStalledConnections } from './stalled-connections.ts';
import { requireSuperadmin } from './superadmin.ts';
import { acceptUploads, refuseUpload, uploadedFiles } from './upload.ts';
import { validate } from './validate.ts';
import { whenKnown } from './when-known.ts';

export type HttpDeps = {
  log: Log;
  clock: Clock;
  ids: Ids;
  metrics: Metrics;
  limiter: Ceilings;
  failures: FailedCredentials;
  idempotency: Idempotency;
  authenticators: Authenticator[];
  /** Addresses of proxies whose X-Forwarded-For is believed. */
  trusted_proxies?: string[];
  /** Compares every answer with its declared shape; for tests, where a wrong answer must be loud. */
  check_answers?: boolean;
  /** How long a client may take nothing of its answer; a minute where it is not said. */
  stall_ms?: number;
  /** From its begin on, requests are refused and streams end. */
  drain?: Drain;
};

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Answered during a stop, too: health, and what carriers report of calls that are being ended. */
    serves_draining?: boolean;
  }
  interface FastifyRequest {
    caller: Caller | null;
    /** Its id; `other` outside the contract. */
    operation: string;
    /** Monotonic, in milliseconds. */
    began_at: number;
  }
}

const json = 'application/json; charset=utf-8';

const shuttingDown = () => new ApiError('shutting_down', { retry_after_seconds: 1 });

export function httpServer(deps: HttpDeps, routes: Routes[]): FastifyInstance {
  const { log, ids } = deps;
  const drain = deps.drain ?? makeDrain();
  const streams = new Set<AbortController>();
  const app = fastify({
    bodyLimit: limits.json_body_bytes,
    requestTimeout: 60_000,
    keepAliveTimeout: 72_000,
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    http: { maxHeaderSize: limits.header_bytes },
    // A parameter of any length is for the validation to judge; the header limit bounds the path.
    routerOptions: { maxParamLength: limits.header_bytes },
    requestIdHeader: false,
    trustProxy: deps.trusted_proxies?.length ? deps.trusted_proxies : false,
    genReqId: (request) => {
      const given = request.headers['x-request-id'];
      return typeof given === 'string' && /^[A-Za-z0-9._-]{1,64}$/.test(given) ? given : ids.next();
    },
    frameworkErrors: (error, request, reply) => answerError(error, request, reply),
    clientErrorHandler: (error, socket) => answerBrokenRequest(error, socket, ids.next()),
  });

  function answerError(error: unknown, request: FastifyRequest, reply: FastifyReply) {
    const problem = asApiError(error);
    const answer = problemAnswer(problem, request.id);
    const facts = {
      request_id: request.id,
      method: request.method,
      route: request.routeOptions.url,
      code: problem.code,
    };
    logFailure(log, facts, answer.status, error);
    // What is left of a refused body is read and dropped, or the next request on this connection would wait behind it.
    if (!request.raw.complete) request.raw.unpipe().resume();
    return reply
      .code(answer.status)
      .headers({ 'x-request-id': request.id, ...answer.headers })
      .send(answer.body);
  }

  app.decorateRequest('caller', null);
  app.decorateRequest('operation', 'other');
  app.decorateRequest('began_at', 0);
  app.setErrorHandler(answerError);
  app.setNotFoundHandler(() => {
    throw new ApiError('not_found', { detail: 'There is no such path, or it does not take this method.' });
  });
  app.addHook('onRequest', (request, reply, done) => {
    request.began_at = performance.now();
    reply.header('x-request-id', request.id);
    if (!drain.signal.aborted) return done();
    // What is still on its way here, or comes on a connection that was kept, is for another process or the next start.
    reply.header('connection', 'close');
    done(request.routeOptions.config.serves_draining ? undefined : shuttingDown());
  });
  const endQuietConnections = closeIdleConnections(app.server);
  endStalledConnections(app.server, { stall_ms: deps.stall_ms ?? 60_000 });
  // An open stream would keep the server from ever closing.
  drain.signal.addEventListener('abort', () => {
    for (const stream of streams) stream.abort();
  });
  app.addHook('preClose', (done) => {
    drain.begin();
    endQuietConnections();
    done();
  });
  // As the answer begins: listening for its end would cost every request more than all that is measured here.
  app.addHook('onSend', (request, reply, _, done) => {
    const duration_ms = performance.now() - request.began_at;
    deps.metrics.observeRequest(request.operation, reply.statusCode, duration_ms);
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
  app.removeAllContentTypeParsers();
  const parse = app.getDefaultJsonParser('error', 'error');
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    if (!isUtf8(body as Buffer)) {
      done(new ApiError('malformed_json', { detail: 'The body is not valid UTF-8.' }));
      return;
    }
    void parse(request, body.toString(), (error, value) =>
      error ? done(new ApiError('malformed_json', { internal: error })) : done(null, value),
    );
  });

  const all = routes.flatMap(({ group, handlers }) =>
    Object.entries(group.operations).map(([name, operation]): Route => {
      return { noun: group.noun, name, operation, handler: handlers[name]! };
    }),
  );
  for (const route of all) if (!route.operation.upload) addRoute(app, deps, streams, route);
  // Uploads have a corner of their own: reading them costs every request of the place where it is set up.
  void app.register(async (corner) => {
    await acceptUploads(corner);
    for (const route of all) if (route.operation.upload) addRoute(corner, deps, streams, route);
  });
  return app;
}

type Claim = NonNullable<ReturnType<Idempotency['request']>>;
type Route = { noun: string; name: string; operation: Operation; handler: Handler<Operation> };

function addRoute(app: FastifyInstance, deps: HttpDeps, streams: Set<AbortController>, route: Route): void {
  const { noun, name, operation, handler } = route;
  const authenticate = authentication(deps);
  const id = `${noun}.${name}`;
  const isPublic = operation.access === 'public';
  const scope = `${noun}:${operation.method === 'GET' ? 'read' : 'write'}`;
  const scopes = operation.access === 'superadmin' ? ['*', scope, 'admin'] : ['*', scope];

  const admit = (request: FastifyRequest, reply: FastifyReply, caller: Caller | null) => {
    if (!caller) throw new ApiError('unauthenticated');
    request.caller = caller;
    return whenKnown(deps.limiter.take(caller), (verdict) => {
      reply.header('ratelimit-limit', verdict.limit);
      reply.header('ratelimit-remaining', verdict.remaining);
      reply.header('ratelimit-reset', verdict.reset_seconds);
      if (operation.access === 'superadmin') requireSuperadmin(caller);
      if (!verdict.allowed) {
        throw new ApiError('rate_limited', {
          retry_after_seconds: verdict.retry_after_seconds,
          ...(verdict.of === 'organization'
            ? { detail: 'All credentials of the organization together sent too many requests.' }
            : {}),
        });
      }
      // Whoever holds a narrow credential must be able to learn what it is good for.
      if (operation.access === 'any_credential') {
        reply.header('x-oauth-scopes', caller.scopes.join(', '));
      } else if (!scopes.some((each) => caller.scopes.includes(each))) {
        throw new ApiError('insufficient_scope', { detail: `This credential lacks the scope ${scope}.` });
      }
    });
  };

  const answer = (request: FastifyRequest, reply: FastifyReply) => {
    const files = operation.upload ? uploadedFiles(request) : undefined;
    const input = { ...validate(operation, request), files } as Parameters<typeof handler>[0];
    const caller = request.caller!;
    const claim = operation.idempotent
      ? deps.idempotency.request(request.headers['idempotency-key'], {
          organization_id: caller.identity.organization_id,
          operation: id,
          input: { params: request.params, body: request.body },
        })
      : null;
    const context: Context = {
      caller,
      organization_id: isPublic ? '' : caller.identity.organization_id,
      request_id: request.id,
      // Not a getter: V8 gives every object literal with one a hidden class of its own, and that keeps the request alive.
      ip: () => request.ip,
      log: deps.log,
      last_event_id: lastEventId(request.headers['last-event-id']),
      idempotency: claim,
      onClose: (action) => reply.raw.once('close', action),
    };
    const work = () => handler(input, context);
    return claim ? answerOnce(reply, claim, work) : whenKnown(work(), (output) => send(reply, output));
  };

  /** A repeat with the same Idempotency-Key gets the answer that the first one got. */
  const answerOnce = async (reply: FastifyReply, claim: Claim, work: () => unknown) => {
    for (let tries = 1; ; tries++) {
      let output: unknown;
      try {
        output = await work();
      } catch (error) {
        const taken = isKeyTaken(error);
        if (!(taken || error instanceof ApiError) || tries === 3) throw error;
        // What refuses this request now may be what the first request with this key did, or came after it.
        if (error instanceof ApiError && error.options.is_stored) throw error;
        const remembered = await deps.idempotency.replay(claim);
        if (!remembered && taken) continue;
        if (!remembered) throw error;
        const type = remembered.status < 400 ? json : 'application/problem+json';
        return reply
          .code(remembered.status)
          .headers({ 'content-type': type, 'idempotent-replayed': 'true' })
          .send(remembered.body);
      }
      return send(reply, output);
    }
  };

  const send = (reply: FastifyReply, output: unknown) => {
    const { success } = operation;
    if ('body' in success) {
      const text = output instanceof JsonText ? output.text : JSON.stringify(output);
      if (deps.check_answers) success.body.parse(JSON.parse(text));
      reply.code(success.status).header('content-type', json);
      return text;
    }
    if ('stream' in success) {
      return reply
        .code(200)
        .headers({
          'content-type': success.stream,
          'cache-control': 'no-store',
          'x-accel-buffering': 'no',
          // A stream ends with its connection, so that the server never waits for one to be used again.
          connection: 'close',
        })
        .send(openStream(streams, reply.raw, output as TextStream));
    }
    if (success.status === 302) return reply.redirect((output as { location: string }).location, 302);
    return reply.code(204).send();
  };

  app.route({
    method: operation.method,
    url: operation.path.replaceAll(/\{(\w+)\}/g, ':$1'),
    onRequest: (request, reply, done) => {
      request.operation = id;
      if (isPublic) return done();
      const caller = authenticate(request);
      const admitted = whenKnown(caller, (caller) => admit(request, reply, caller));
      if (admitted instanceof Promise) admitted.then(() => done(), done);
      else done();
    },
    ...(operation.body ? { preParsing: refuseUpload } : {}),
    handler: answer,
  });
}

const lastEventId = (header: unknown) => (typeof header === 'string' && header !== '' ? header : null);

function openStream(streams: Set<AbortController>, response: ServerResponse, begin: TextStream): Readable {
  const stop = new AbortController();
  streams.add(stop);
  stop.signal.addEventListener('abort', () => {
    // A client that does not read would never see the end of the stream.
    if (response.writableNeedDrain) response.destroy();
  });
  // One chunk ahead of the client at most: what it does not read is not kept in memory for it.
  return Readable.from(begin(stop.signal), { highWaterMark: 1 }).on('close', () => {
    stop.abort();
    streams.delete(stop);
  });
}

/** A fault of ours is an error with its stack. A refusal, such as for a carrier that is not set up, is none. */
function logFailure(log: Log, facts: { code: string }, status: number, error: unknown): void {
  // The reason of a 4xx may quote the request, and so a person.
  if (status < 500) log.debug(facts, 'request refused');
  else if (error instanceof DatabaseUnavailable)
    log.warn({ ...facts, reason: error.message }, 'request failed');
  else if (isDiskFull(error)) log.error({ ...facts, reason: (error as Error).message }, 'request failed');
  else if (error instanceof ApiError && error.code !== 'internal_error') {
    const reason = error.cause instanceof Error ? { reason: error.cause.message } : {};
    log.info({ ...facts, ...reason }, 'request refused');
  } else
    log.error(
      { ...facts, err: error instanceof ApiError ? (error.cause ?? error) : error },
      'request failed',
    );
}

/** Waits for the requests under way; after the cut they lose their connection. */
export async function closeHttp(app: FastifyInstance, cut: AbortSignal): Promise<void> {
  let cutting: NodeJS.Timeout | undefined;
  const end = () => {
    app.server.closeAllConnections();
    // A connection that was accepted a moment before the listener closed comes later.
    cutting = setInterval(() => app.server.closeAllConnections(), 50);
  };
  if (cut.aborted) end();
  else cut.addEventListener('abort', end, { once: true });
  await app.close();
  cut.removeEventListener('abort', end);
  clearInterval(cutting);
}

/** Node could not even parse the request: there is no request object, only the socket. */
function answerBrokenRequest(error: Error & { code?: string }, socket: Socket, request_id: string): void {
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  const known = asApiError(error);
  const problem = known.code === 'internal_error' ? new ApiError('malformed_request') : known;
  const { status, headers, body } = problemAnswer(problem, request_id);
  const lines = Object.entries({
    ...headers,
    'x-request-id': request_id,
    'content-length': Buffer.byteLength(body),
    connection: 'close',
  });
  socket.end(
    `HTTP/1.1 ${status} ${errors[problem.code].message}\r\n${lines.map(([k, v]) => `${k}: ${v}`).join('\r\n')}\r\n\r\n${body}`,
  );
}
