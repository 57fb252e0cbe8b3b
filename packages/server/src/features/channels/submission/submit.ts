// Sends a submitted message as an email: stored, handed to the transport, and only then confirmed with 250.
import { createHash } from 'node:crypto';
import { errors } from '@parley/contract/errors';
import { limits } from '@parley/contract/limits';
import type { Caller } from '../../../platform/http/context.ts';
import type { Problem } from '../../../platform/http/problem.ts';
import { type Claim, valueOnce } from '../../../platform/http/run-once.ts';
import { answeredAs, type Idempotency } from '../../../platform/idempotency.ts';
import type { Ids } from '../../../platform/ids.ts';
import { contentOf } from '../../../protocols/mail/mime/pieces.ts';
import type { SubmittedMessage } from '../../../protocols/mail/mime/read-submission.ts';
import type { EmailAttachments, StoredAttachment } from '../email-attachments/index.ts';
import type { EmailRequests, HandOverFailure, SendRequest } from '../emails/index.ts';
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
    const result = await valueOnce(deps.idempotency, claim, () => send(claim));
    if ('problem' in result) throw await replyToStored(deps, caller, result.problem);
    return confirmation(result.value);
  }
  if (message.message_id === null) return confirmation(await send(null));
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
    const result = await valueOnce(deps.idempotency, claim, () => send(claim));
    if ('value' in result) return confirmation(result.value);
    const reply = await replyToStored(deps, caller, result.problem);
    if (reply.responseCode !== 451 || attempt === max_attempts) throw reply;
  }
}

/** What is stored for the same submission, without `failure`: a problem is stored for that. */
type Sent = { id: string; hold: string | null; failure?: HandOverFailure | null };

const receiptOf = ({ id, hold }: { id: string; hold: { kind: string } | null }): Sent => ({
  id,
  hold: hold?.kind ?? null,
});

const claimOf = ({ idempotency }: SubmitDeps, { identity }: Caller, key: string, input: unknown): Claim =>
  idempotency.request(key, { organization_id: identity.organization_id, operation, input })!;

async function sendOnce(
  deps: SubmitDeps,
  { caller, raw }: Submission,
  { message, request, claim }: { message: SubmittedMessage; request: SendRequest; claim: Claim | null },
): Promise<Sent> {
  const { organization_id } = caller.identity;
  const attachments = await storeFiles(deps, organization_id, message, raw);
  const { email, failure } = await deps.emails.create(
    organization_id,
    { ...request, attachments },
    {
      caller,
      idempotency: answeredAs(claim, receiptOf),
      request_id: deps.ids.next(),
      consent_by: caller.credential_id,
    },
  );
  return { ...receiptOf(email), failure };
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

/** Throws the reply to a hand-over that failed. */
function confirmation({ id, hold, failure }: Sent): string {
  if (failure) throw replyToFailure(problemOf(failure.error), id, failure.response);
  return hold ? `2.0.0 Stored as ${id}; it waits (${hold})` : `2.0.0 Sent as ${id}`;
}

async function replyToStored(
  { emails }: SubmitDeps,
  { identity }: Caller,
  { code, detail, fix, object_id }: Problem,
): Promise<Refusal> {
  const problem = { code, text: detail, fix };
  if (object_id === undefined) return replyToProblem(problem);
  const { items } = await emails.events(identity.organization_id, object_id, { limit: 50 });
  const response = items.findLast(({ kind }) => kind === 'send_failed')?.detail.response;
  return replyToFailure(problem, object_id, typeof response === 'string' ? response : null);
}

/** Whether the same message may be submitted again depends on the answer of the next mail server. */
function replyToFailure(
  problem: ReturnType<typeof problemOf>,
  email_id: string,
  response: string | null,
): Refusal {
  if (errors[problem.code].status !== 502) return replyToProblem(problem);
  if (problem.code === 'email_unconfirmed')
    return refusal(
      554,
      `5.4.0 It is not known whether the recipients got the message; see email ${email_id}`,
    );
  return response !== null && /^5\d\d/.test(response)
    ? refusal(554, `5.0.0 The next mail server refused it: ${response} (email ${email_id})`)
    : refusal(
        451,
        `4.4.0 The message could not be handed over: ${response || problem.text} (email ${email_id})`,
      );
}
