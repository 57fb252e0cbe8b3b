// Endpoints in the form of Resend, under /compat/resend: send, batch, read, reschedule and cancel an email.
import { hash } from 'node:crypto';
import { EmailBatchCreate } from '@parley/contract/channels/emails/email-batches';
import { EmailCreate } from '@parley/contract/channels/emails/email-requests';
import { limits } from '@parley/contract/limits';
import type { Operation } from '@parley/contract/operation';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { ApiError, validationError } from '../../../../platform/http/api-error.ts';
import type { authentication } from '../../../../platform/http/authenticate.ts';
import type { Ceilings } from '../../../../platform/http/ceilings.ts';
import type { Caller } from '../../../../platform/http/context.ts';
import { asApiError } from '../../../../platform/http/problem.ts';
import { type Claim, valueOnce } from '../../../../platform/http/run-once.ts';
import { validate, validateInside } from '../../../../platform/http/validate.ts';
import { answeredAs, type Idempotency } from '../../../../platform/idempotency.ts';
import type { Log } from '../../../../platform/log.ts';
import type { EmailAttachments } from '../../email-attachments/index.ts';
import { type EmailRequests, requireSent } from '../../emails/index.ts';
import { missing_key, type ResendError, resendError, resendErrorOf } from './errors.ts';
import { presentResendBatch, presentResendEmail } from './present.ts';
import { emailBody, moreOf, type ResendAttachment, ResendEmail, theirPath } from './read-email.ts';

export type ResendDeps = {
  log: Log;
  authenticate: ReturnType<typeof authentication>;
  limiter: Ceilings;
  idempotency: Idempotency;
  emails: EmailRequests;
  storeFile: EmailAttachments['storeContent'];
};

/** Files of 25 MiB in base64. */
const body_max_bytes = 34 * 1024 * 1024;
const EmailId = z.strictObject({ id: z.uuid() });
const Patch = z.strictObject({ scheduled_at: ResendEmail.shape.scheduled_at.unwrap() });
const Batch = z.array(z.unknown()).min(1, 'Expected at least one email').max(limits.email_batch);

const no_endpoint = new ApiError('not_found', { detail: 'There is no such compatible endpoint.' });

type Handler = (request: FastifyRequest, caller: Caller) => Promise<unknown>;

export function addResendRoutes(http: FastifyInstance, deps: ResendDeps): void {
  const { emails } = deps;
  void http.register(
    async (scope) => {
      scope.setErrorHandler((error, request, reply) => sendError(deps, error, request, reply));
      // Not a not-found handler: the console serves a page for every other GET.
      scope.all('/*', (request, reply) => sendError(deps, no_endpoint, request, reply));
      acceptEmptyBodies(scope);
      const add = (method: 'GET' | 'POST' | 'PATCH', url: string, name: string, handle: Handler) => {
        const right = method === 'GET' ? 'emails:read' : 'emails:write';
        scope.route({
          method,
          url,
          bodyLimit: body_max_bytes,
          onRequest: (request, reply) => admit(deps, request, reply, { name: `resend.${name}`, right }),
          handler: (request) => handle(request, request.caller!),
        });
      };
      add('POST', '/emails', 'send', (request, caller) => send(deps, request, caller));
      add('POST', '/emails/batch', 'batch', (request, caller) => sendBatch(deps, request, caller));
      add('GET', '/emails/:id', 'get', async (request, { identity }) => {
        const email = await emails.get(identity.organization_id, idOf(request));
        if (email.direction !== 'outbound') throw new ApiError('not_found');
        return presentResendEmail(email);
      });
      add('PATCH', '/emails/:id', 'update', async (request, { identity }) => {
        const { scheduled_at } = read(Patch, request.body);
        const at = { scheduled_at: new Date(scheduled_at!).toISOString() };
        const { id } = await emails.update(identity.organization_id, idOf(request), at);
        return { object: 'email', id };
      });
      add('POST', '/emails/:id/cancel', 'cancel', async (request, { identity }) => {
        const { id } = await emails.cancel(identity.organization_id, idOf(request));
        return { object: 'email', id };
      });
    },
    { prefix: '/compat/resend' },
  );
}

/** The official client declares JSON also where it sends no body. */
function acceptEmptyBodies(scope: FastifyInstance): void {
  const parse = scope.getDefaultJsonParser('error', 'error');
  scope.removeContentTypeParser('application/json');
  scope.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) => {
    if (body.length === 0) return done(null, undefined);
    void parse(request, body as string, (error, value) =>
      error ? done(new ApiError('malformed_json', { internal: error })) : done(null, value),
    );
  });
}

async function admit(
  { authenticate, limiter }: ResendDeps,
  request: FastifyRequest,
  reply: FastifyReply,
  { name, right }: { name: string; right: string },
): Promise<void> {
  request.operation = name;
  const caller = await authenticate(request);
  if (!caller) throw new ApiError('unauthenticated');
  request.caller = caller;
  const verdict = await limiter.take(caller);
  reply.header('ratelimit-limit', verdict.limit);
  reply.header('ratelimit-remaining', verdict.remaining);
  reply.header('ratelimit-reset', verdict.reset_seconds);
  if (!verdict.allowed)
    throw new ApiError('rate_limited', { retry_after_seconds: verdict.retry_after_seconds });
  if (caller.scopes.includes('*') || caller.scopes.includes(right)) return;
  throw new ApiError('insufficient_scope', { detail: `This credential lacks the scope ${right}.` });
}

const onlyId = ({ id }: { id: string }) => ({ id });

async function send(deps: ResendDeps, request: FastifyRequest, caller: Caller): Promise<unknown> {
  requireConsent(caller);
  const email = read(ResendEmail, request.body);
  const { body } = validate({ body: EmailCreate } as unknown as Operation, {
    params: undefined,
    query: undefined,
    body: emailBody(email),
  }) as { body: EmailCreate };
  const { organization_id } = caller.identity;
  return once(deps, request, caller, 'resend.send', async (claim) => {
    const attachments = await storeFiles(deps, organization_id, email.attachments ?? []);
    const result = await deps.emails.create(
      organization_id,
      { ...body, ...moreOf(email), attachments },
      { ...contextOf(request, caller), idempotency: answeredAs(claim, onlyId) },
    );
    return onlyId(requireSent(result));
  });
}

async function sendBatch(deps: ResendDeps, request: FastifyRequest, caller: Caller): Promise<unknown> {
  requireConsent(caller);
  const is_permissive = request.headers['x-batch-validation'] === 'permissive';
  const { readable, unreadable } = readBatch(read(Batch, request.body), is_permissive);
  const { body } = validate({ body: EmailBatchCreate } as unknown as Operation, {
    params: undefined,
    query: undefined,
    body: {
      emails: readable.map(({ email }) => emailBody(email)),
      on_error: is_permissive ? 'send_valid' : 'reject_all',
    },
  }) as { body: EmailBatchCreate };
  const created = await once(deps, request, caller, 'resend.batch', (idempotency) =>
    deps.emails.createBatch(
      caller.identity.organization_id,
      { ...body, more: readable.map(({ email }) => moreOf(email)) },
      { ...contextOf(request, caller), idempotency },
    ),
  );
  const places = readable.map(({ index }) => index);
  return presentResendBatch(created, places, unreadable);
}

/** An email that cannot be read fails the request, unless the others are to be sent. */
function readBatch(values: readonly unknown[], is_permissive: boolean) {
  const readable: { index: number; email: ResendEmail }[] = [];
  const unreadable: { index: number; message: string }[] = [];
  let first: ApiError | null = null;
  for (const [index, value] of values.entries()) {
    const found = batchEmail(value, index);
    if ('data' in found) {
      readable.push({ index, email: found.data });
      continue;
    }
    if (!is_permissive) throw found.error;
    first ??= found.error;
    unreadable.push({ index, message: resendError(found.error, theirPath).message });
  }
  if (readable.length === 0 && first) throw first;
  return { readable, unreadable };
}

function batchEmail(value: unknown, index: number): { data: ResendEmail } | { error: ApiError } {
  const found = validateInside(ResendEmail, value, ['emails', index]);
  if ('error' in found || (found.data.attachments ?? []).length === 0) return found;
  const path = `body.emails[${index}].attachments`;
  return { error: validationError([{ path, message: 'A batch cannot have attachments', code: 'invalid' }]) };
}

/** The key of the idempotent request is theirs: up to 256 characters, of which we store 255 or a hash. */
async function once<T>(
  { idempotency }: ResendDeps,
  request: FastifyRequest,
  caller: Caller,
  operation: string,
  run: (claim: Claim | null) => Promise<T>,
): Promise<T> {
  const header = request.headers['idempotency-key'];
  const key =
    typeof header === 'string' && header.length === 256 ? hash('sha256', header, 'base64url') : header;
  const claim = idempotency.request(key, {
    organization_id: caller.identity.organization_id,
    operation,
    input: { body: request.body },
  });
  if (!claim) return run(null);
  const result = await valueOnce(idempotency, claim, () => run(claim));
  if ('problem' in result) throw new StoredError(resendErrorOf(result.problem));
  return result.value;
}

/** The response that an earlier request with the same key got. */
class StoredError extends Error {
  override name = 'StoredError';
  readonly response: ResendError;
  constructor(response: ResendError) {
    super(response.message);
    this.response = response;
  }
}

function requireConsent({ grants_consent }: Caller): void {
  if (grants_consent) return;
  throw new ApiError('consent_required', {
    detail: 'This key was not issued with grants_consent.',
    fix: 'Make sure that the recipients agreed to be contacted, then create a key with grants_consent: true.',
  });
}

const contextOf = (request: FastifyRequest, caller: Caller) => ({
  caller,
  request_id: request.id,
  consent_by: caller.credential_id,
});

async function storeFiles(deps: ResendDeps, organization_id: string, files: readonly ResendAttachment[]) {
  const stored: Awaited<ReturnType<ResendDeps['storeFile']>>[] = [];
  for (const { filename, content, content_type, content_id } of files) {
    stored.push(
      await deps.storeFile(organization_id, {
        filename: filename ?? null,
        content_type: content_type ?? 'application/octet-stream',
        content: Buffer.from(content, 'base64'),
        content_id: content_id ?? null,
      }),
    );
  }
  return stored;
}

function read<S extends z.ZodType>(schema: S, body: unknown): z.output<S> {
  const found = validateInside(schema, body ?? {}, []);
  if ('error' in found) throw found.error;
  return found.data;
}

function idOf(request: FastifyRequest): string {
  const found = EmailId.safeParse(request.params);
  if (!found.success) throw new ApiError('not_found');
  return found.data.id;
}

function sendError(
  { log }: ResendDeps,
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  const response = responseTo(error, request);
  if (response.statusCode >= 500 && !(error instanceof StoredError || error instanceof ApiError))
    log.error({ err: error, request_id: request.id, operation: request.operation }, 'request failed');
  if (!request.raw.complete) request.raw.unpipe().resume();
  const wait = error instanceof ApiError ? error.options.retry_after_seconds : undefined;
  if (wait !== undefined) reply.header('retry-after', String(wait));
  return reply.code(response.statusCode).header('x-request-id', request.id).send(response);
}

function responseTo(error: unknown, request: FastifyRequest): ResendError {
  if (error instanceof StoredError) return error.response;
  const known = asApiError(error);
  const has_no_key = known.code === 'unauthenticated' && !request.headers.authorization;
  return has_no_key ? missing_key : resendError(known, theirPath);
}
