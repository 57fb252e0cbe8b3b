// Sends a submitted message as an email: stored, handed to the transport, and only then confirmed with 250.
import { createHash } from 'node:crypto';
import { errors } from '@parley/contract/errors';
import { limits } from '@parley/contract/limits';
import { ApiError } from '../../../platform/http/api-error.ts';
import type { Caller } from '../../../platform/http/context.ts';
import { type Claim, runOnce } from '../../../platform/http/run-once.ts';
import type { Idempotency } from '../../../platform/idempotency.ts';
import type { Ids } from '../../../platform/ids.ts';
import { contentOf } from '../../../protocols/mail/mime/pieces.ts';
import type { SubmittedMessage } from '../../../protocols/mail/mime/read-submission.ts';
import type { EmailAttachments, StoredAttachment } from '../email-attachments/index.ts';
import type { EmailRequests, SendRequest } from '../emails/index.ts';
import type { SubmissionParser } from './parse.ts';
import { type Envelope, sendRequest } from './read-request.ts';
import { problemOf, type Refusal, refusal, replies, replyToProblem } from './replies.ts';

export type SubmitDeps = {
  ids: Ids;
  idempotency: Idempotency;
  parse: SubmissionParser['parse'];
  emails: EmailRequests;
  storeFile: EmailAttachments['storeContent'];
};

export type Submission = { caller: Caller; envelope: Envelope; raw: Buffer };

const operation = 'submission.send';
/** A message whose hand-over failed may be submitted again this often within the time that keys are kept. */
const max_attempts = 100;

/** Returns the text of the reply 250. */
export async function submit(deps: SubmitDeps, submission: Submission): Promise<string> {
  const { caller, envelope, raw } = submission;
  const message = await deps.parse(raw);
  if (message.files.length > limits.email_attachments) throw replies.tooManyFiles();
  const request = sendRequest(message, envelope);
  const send = (claim: Claim | null) => sendOnce(deps, submission, { message, request, claim });
  const own_key = message.settings['idempotency-key'];
  if (own_key !== undefined) {
    const input = { envelope, subject: request.subject, text: request.body_text, html: request.body_html };
    const claim = claimOf(deps, caller, own_key, input);
    return textOf(await runOnce(deps.idempotency, claim, () => send(claim)), deps, caller);
  }
  if (message.message_id === null) return confirmation(await send(null).catch(failed(deps, caller)));
  return sendUnderAttempts(deps, submission, send);
}

/**
 * A mail program that got no reply sends the same bytes again, so they are the key. A message whose hand-over failed for a
 * while gets a new key each time: otherwise the stored failure would be the reply for a day.
 */
async function sendUnderAttempts(
  deps: SubmitDeps,
  { caller, envelope, raw }: Submission,
  send: (claim: Claim) => Promise<Sent>,
): Promise<string> {
  const digest = createHash('sha256').update(JSON.stringify(envelope)).update(raw).digest('base64url');
  for (let attempt = 1; ; attempt++) {
    const claim = claimOf(deps, caller, attempt === 1 ? digest : `${digest}:${attempt}`, digest);
    const result = await runOnce(deps.idempotency, claim, () => send(claim)).catch(failed(deps, caller));
    if ('output' in result || result.stored.status < 400) return textOf(result, deps, caller);
    const reply = await replyToStored(deps, caller, result.stored.body);
    if (reply.responseCode !== 451 || attempt === max_attempts) throw reply;
  }
}

type Sent = { id: string; hold: string | null };
type Once = Awaited<ReturnType<typeof runOnce<Sent>>>;

const claimOf = ({ idempotency }: SubmitDeps, { identity }: Caller, key: string, input: unknown): Claim =>
  idempotency.request(key, { organization_id: identity.organization_id, operation, input })!;

async function sendOnce(
  deps: SubmitDeps,
  { caller, raw }: Submission,
  { message, request, claim }: { message: SubmittedMessage; request: SendRequest; claim: Claim | null },
): Promise<Sent> {
  const { organization_id } = caller.identity;
  const attachments = await storeFiles(deps, organization_id, message, raw);
  const sent = await deps.emails.create(
    organization_id,
    { ...request, attachments },
    {
      caller,
      idempotency: claim,
      request_id: deps.ids.next(),
      consent_by: caller.credential_id,
      shown: ({ id, hold }): Sent => ({ id, hold: hold?.kind ?? null }),
    },
  );
  return JSON.parse(sent.text) as Sent;
}

async function storeFiles(
  { storeFile }: SubmitDeps,
  organization_id: string,
  { files }: SubmittedMessage,
  raw: Buffer,
): Promise<StoredAttachment[]> {
  const stored: StoredAttachment[] = [];
  for (const { filename, content_type, content_id, pieces } of files) {
    const content = contentOf(raw, pieces);
    stored.push(await storeFile(organization_id, { filename, content_type, content_id, content }));
  }
  return stored;
}

async function textOf(result: Once, deps: SubmitDeps, caller: Caller): Promise<string> {
  if ('output' in result) return confirmation(result.output);
  const { status, body } = result.stored;
  if (status < 400) return confirmation(JSON.parse(body) as Sent);
  throw await replyToStored(deps, caller, body);
}

const confirmation = ({ id, hold }: Sent): string =>
  hold ? `2.0.0 Stored as ${id}; it waits (${hold})` : `2.0.0 Sent as ${id}`;

/** For a hand-over that failed: whether the same message may be submitted again depends on the answer of the transport. */
const failed =
  (deps: SubmitDeps, { identity }: Caller) =>
  async (error: unknown): Promise<never> => {
    if (!(error instanceof ApiError) || errors[error.code].status !== 502) throw error;
    throw await replyToFailure(deps, identity.organization_id, problemOf(error));
  };

const replyToStored = (deps: SubmitDeps, { identity }: Caller, body: string): Promise<Refusal> => {
  const {
    code,
    detail: text,
    fix,
  } = JSON.parse(body) as { code: keyof typeof errors; detail: string; fix: string };
  return replyToFailure(deps, identity.organization_id, { code, text, fix });
};

async function replyToFailure(
  { emails }: SubmitDeps,
  organization_id: string,
  problem: ReturnType<typeof problemOf>,
): Promise<Refusal> {
  // The advice names the email.
  const id = /\/v1\/emails\/([0-9a-f-]{36})/.exec(problem.fix)?.[1];
  if (!id || errors[problem.code].status !== 502) return replyToProblem(problem);
  if (problem.code === 'email_unconfirmed')
    return refusal(554, `5.4.0 It is not known whether the recipients got the message; see email ${id}`);
  const { items } = await emails.events(organization_id, id, { limit: 50 });
  const outcome = items.findLast(({ kind }) => kind === 'send_failed');
  const response = typeof outcome?.detail.response === 'string' ? outcome.detail.response : '';
  const is_final = /^5\d\d/.test(response);
  return is_final
    ? refusal(554, `5.0.0 The next mail server refused it: ${response} (email ${id})`)
    : refusal(451, `4.4.0 The message could not be handed over: ${response || problem.text} (email ${id})`);
}
