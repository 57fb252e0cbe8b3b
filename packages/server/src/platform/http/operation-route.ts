// Registers one operation of the contract as a route: authentication, limits, validation, idempotency and response.

import type { Operation, TextStream } from '@parley/contract/operation';
import { exitOf } from '@parley/contract/rules/exits';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Idempotency } from '../idempotency.ts';
import type { Log } from '../log.ts';
import { readAnswer, writeAnswer } from './answer.ts';
import { ApiError } from './api-error.ts';
import { authentication, bearerOf } from './authenticate.ts';
import type { Ceilings } from './ceilings.ts';
import type { Authenticator, Caller, Context, Handler } from './context.ts';
import { requireConversationRight } from './conversation-scope.ts';
import type { FailedCredentials } from './failed-credentials.ts';
import type { Hold, OpenHolds } from './holds.ts';
import { type Claim, runOnce } from './run-once.ts';
import type { OpenStreams } from './stream-response.ts';
import { requireSuperadmin } from './superadmin.ts';
import { refuseUpload, uploadedFiles } from './upload.ts';
import { validate } from './validate.ts';
import { whenKnown } from './when-known.ts';

export type RouteDeps = {
  log: Log;
  limiter: Ceilings;
  failures: FailedCredentials;
  idempotency: Idempotency;
  authenticators: Authenticator[];
  streams: OpenStreams;
  holds: OpenHolds;
  /** The approval policy, for requests that open a way out for data. Throws when it must not be carried out now. */
  admitExit?: AdmitExit | undefined;
  /** Compares every response with its declared shape; tests fail when one differs. */
  check_answers?: boolean | undefined;
};

/** What it returns must run when the request was not carried out after all. */
type AdmitExit = (
  context: Context,
  request: { operation: string; params: unknown; body: unknown },
) => Promise<(() => Promise<void>) | null>;

export type OperationRoute = {
  noun: string;
  name: string;
  operation: Operation;
  handler: Handler<Operation>;
};

const json = 'application/json; charset=utf-8';

export function addOperationRoute(app: FastifyInstance, deps: RouteDeps, route: OperationRoute): void {
  const { noun, name, operation, handler } = route;
  const authenticate = authentication(deps);
  const id = `${noun}.${name}`;
  const isPublic = operation.access === 'public';
  const takes_empty_object =
    operation.body?.safeParse({}).success && !operation.body.safeParse(undefined).success;
  const requireAllowed = rightsFor(operation, `${noun}:${operation.method === 'GET' ? 'read' : 'write'}`);
  const admit = admission(deps, operation, requireAllowed);
  const hold = (request: FastifyRequest, end: Hold['end']) =>
    deps.holds.add({ bearer: bearerOf(request)!, caller: request.caller!, requireAllowed, end });

  const handle = (request: FastifyRequest, reply: FastifyReply) => {
    const files = operation.upload
      ? uploadedFiles(request, operation.upload.fields !== undefined)
      : undefined;
    const body = request.body === undefined && takes_empty_object ? {} : request.body;
    const { params, query } = request;
    const input = { ...validate(operation, { params, query, body }), files } as Parameters<typeof handler>[0];
    const caller = request.caller!;
    const claim = operation.idempotent
      ? deps.idempotency.request(request.headers['idempotency-key'], {
          organization_id: caller.identity.organization_id,
          operation: id,
          input: {
            params: request.params,
            body: request.body,
            // A token for one conversation does not get the response of a request without that limit.
            ...(caller.conversation ? { conversation_id: caller.conversation.id } : {}),
          },
        })
      : null;
    /** Why the credential ended while the request waited. */
    let ended: ApiError | null = null;
    const context: Context = {
      caller,
      organization_id: isPublic ? '' : caller.identity.organization_id,
      request_id: request.id,
      // Not a getter: V8 gives every object literal with one a hidden class of its own, and that keeps the request alive.
      ip: () => request.ip,
      log: deps.log,
      last_event_id: lastEventId(request.headers['last-event-id']),
      idempotency: claim,
      hold: (end) => hold(request, end),
      onClose(action) {
        reply.raw.once('close', action);
        const release = hold(request, (error) => {
          ended = error;
          action();
        });
        reply.raw.once('close', release);
      },
    };
    const run = () => runAdmitted(deps, { operation: id, input, context }, handler);
    const respond = (output: unknown) => {
      if (ended) throw ended;
      return send(deps, operation, reply, output, (end) => hold(request, end));
    };
    return claim ? respondOnce(deps, reply, { claim, run, respond }) : whenKnown(run(), respond);
  };

  app.route({
    method: operation.method,
    url: operation.path.replaceAll(/\{(\w+)\}/g, ':$1'),
    config: { needs_no_body: !operation.body || operation.body.safeParse({}).success },
    onRequest: (request, reply, done) => {
      request.operation = id;
      if (isPublic) return done();
      const caller = authenticate(request);
      const admitted = whenKnown(caller, (caller) => admit(request, reply, caller));
      if (admitted instanceof Promise) admitted.then(() => done(), done);
      else done();
    },
    ...(operation.body ? { preParsing: refuseUpload } : {}),
    ...(operation.body_bytes ? { bodyLimit: operation.body_bytes } : {}),
    handler: handle,
  });
}

/** Throws when a caller may not use the operation. */
function rightsFor(operation: Operation, scope: string) {
  const scopes = operation.access === 'superadmin' ? ['*', scope, 'admin'] : ['*', scope];
  return (caller: Caller): void => {
    if (operation.access === 'superadmin') requireSuperadmin(caller);
    // A credential with few scopes must be able to find out which ones it has.
    if (operation.access === 'any_credential') return;
    if (caller.conversation) requireConversationRight(operation, caller.conversation);
    else if (!scopes.some((each) => caller.scopes.includes(each))) {
      throw new ApiError('insufficient_scope', { detail: `This credential lacks the scope ${scope}.` });
    }
  };
}

function runAdmitted(
  { admitExit }: RouteDeps,
  { operation, input, context }: { operation: string; input: Input; context: Context },
  handler: Handler<Operation>,
): unknown {
  return admitExit && exitOf(operation, input.body)
    ? runExit(admitExit, { operation, input, context }, handler)
    : handler(input, context);
}

async function runExit(
  admitExit: AdmitExit,
  { operation, input, context }: { operation: string; input: Input; context: Context },
  handler: Handler<Operation>,
): Promise<unknown> {
  const { params, body } = input;
  const giveBack = await admitExit(context, { operation, params, body });
  try {
    return await handler(input, context);
  } catch (error) {
    await giveBack?.();
    throw error;
  }
}
type Input = Parameters<Handler<Operation>>[0];

/** Checks credential, request limit and rights of a caller, and sets the rate limit headers. */
function admission(deps: RouteDeps, operation: Operation, requireAllowed: (caller: Caller) => void) {
  return (request: FastifyRequest, reply: FastifyReply, caller: Caller | null) => {
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
      requireAllowed(caller);
      if (operation.access === 'any_credential') reply.header('x-oauth-scopes', caller.scopes.join(', '));
    });
  };
}

/** A request that repeats an Idempotency-Key gets the response that the first one got. */
async function respondOnce(
  deps: RouteDeps,
  reply: FastifyReply,
  { claim, run, respond }: { claim: Claim; run(): unknown; respond(output: unknown): unknown },
) {
  const result = await runOnce(deps.idempotency, claim, run);
  if ('output' in result) return respond(result.output);
  const { status, body } = result.stored;
  const type = status < 400 ? json : 'application/problem+json';
  if (status === 201) nameHold(reply, body);
  return reply
    .code(status)
    .headers({ 'content-type': type, 'idempotent-replayed': 'true' })
    .send(writeAnswer(body));
}

function send(
  deps: RouteDeps,
  { success }: Operation,
  reply: FastifyReply,
  output: unknown,
  hold: Context['hold'],
) {
  if ('body' in success) {
    const text = writeAnswer(output);
    if (deps.check_answers) success.body.parse(readAnswer(text));
    if (success.status === 201) nameHold(reply, output);
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
        // The connection ends with the stream, so a stop does not wait for an idle connection.
        connection: 'close',
      })
      .send(deps.streams.open(reply.raw, output as TextStream, hold));
  }
  if (success.status === 302) return reply.redirect((output as { location: string }).location, 302);
  return reply.code(204).send();
}

/** Lets a client see without reading the body that a new record was not sent. */
function nameHold(reply: FastifyReply, record: unknown): void {
  const kind = (record as { hold?: { kind: string } | null } | null)?.hold?.kind;
  if (kind) reply.header('parley-hold', kind);
}

const lastEventId = (header: unknown) => (typeof header === 'string' && header !== '' ? header : null);
