// The web page of a mailed link: shows everything that would be sent. Mail scanners and assistants open links, and some submit
// forms, so only its form decides, and only with a box that a person ticks.
import type { Approval } from '@parley/contract/rules/approvals/approvals';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Clock } from '../../../../platform/clock.ts';
import { urlSigner } from '../../../../platform/crypto.ts';
import { asApiError } from '../../../../platform/http/problem.ts';
import {
  document,
  type Html,
  html,
  redirectTo,
  requireOwnOrigin,
  sendPage,
} from '../../../access/accounts/index.ts';
import { link_path, type OpenedLink } from './links.ts';

export type LinkedDecision = {
  decision: 'approve' | 'reject';
  payload_sha256: string;
  note: string | null;
};

type PageDeps = {
  open(token: string): Promise<OpenedLink | null>;
  decide(link: OpenedLink, decision: LinkedDecision, request: FastifyRequest): Promise<Approval>;
  /** Who is signed in; null where links need no sign-in. */
  signedIn: ((request: FastifyRequest) => Promise<{ user_id: string } | null>) | null;
  baseUrl(): string;
  wall_clock: Clock;
  form_key: Buffer;
};
type PageRequest = FastifyRequest<{ Params: { token: string } }>;

const form_minutes = 60;
const note_chars = 1000;
const body_bytes = 16 * 1024;

const message = (title: string, text: string) => document(title, html`<p>${text}</p>`);
const sendInvalid = (reply: FastifyReply) => {
  const text = 'It was used, or the approval is not yours any more. The console lists what still waits.';
  return sendPage(reply, message('This link is no longer valid', text), { status: 404 });
};

export function addLinkPages(app: FastifyInstance, deps: PageDeps): void {
  const forms = formTokens(deps);
  app.get(`${link_path}:token`, async (request: PageRequest, reply) => {
    const link = await deps.open(request.params.token);
    if (!link) return sendInvalid(reply);
    const stranger = await sendStranger(deps, link, request, reply);
    if (stranger) return stranger;
    if (link.approval.status !== 'pending') return sendDecided(reply, link.approval);
    return sendPage(reply, approvalPage(link.approval, forms.create(link)));
  });

  void app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser(
      'application/x-www-form-urlencoded',
      { parseAs: 'string', bodyLimit: body_bytes },
      (_, body, done) => done(null, body),
    );
    scope.post(`${link_path}:token`, async (request: PageRequest, reply) => {
      const link = await deps.open(request.params.token);
      const decision = readDecision(request.body);
      if (!link || !decision) return sendInvalid(reply);
      const stranger = await sendStranger(deps, link, request, reply);
      if (stranger) return stranger;
      if (!decision.is_confirmed || !forms.isValid(link, decision.form_token)) {
        if (link.approval.status !== 'pending') return sendDecided(reply, link.approval, 409);
        return sendPage(reply, approvalPage(link.approval, forms.create(link), not_confirmed), {
          status: 422,
        });
      }
      try {
        return sendDecided(reply, await deps.decide(link, decision, request), 200);
      } catch (thrown) {
        const error = asApiError(thrown);
        if (!error.code.startsWith('approval_')) throw thrown;
        return sendPage(reply, message('Nothing was changed', error.message), { status: 409 });
      }
    });
  });
}

/** A form that this server showed for this link a short time ago. */
function formTokens({ form_key, wall_clock }: Pick<PageDeps, 'form_key' | 'wall_clock'>) {
  const signer = urlSigner(form_key);
  return {
    create({ token_hash }: OpenedLink): string {
      const expires_at = new Date(wall_clock.ms() + form_minutes * 60_000);
      return signer.sign(`/${token_hash}`, expires_at).slice(1);
    },
    isValid: ({ token_hash }: OpenedLink, form_token: string): boolean =>
      form_token.startsWith(`${token_hash}?`) && signer.verify(`/${form_token}`, wall_clock.now()).ok,
  };
}

/** Sends the sign-in page, or a refusal, to a person who is not the approver; null where the link may be used. */
async function sendStranger(
  { signedIn, baseUrl }: PageDeps,
  { approver }: OpenedLink,
  request: PageRequest,
  reply: FastifyReply,
): Promise<FastifyReply | null> {
  if (!signedIn) return null;
  const user = await signedIn(request);
  if (user?.user_id !== approver.user_id && user) {
    const text = 'You are signed in as another person. Sign out and open the link again.';
    return sendPage(reply, message('This link is for another person', text), { status: 403 });
  }
  // The cookie of the session is sent with forms of other sites too.
  if (user && request.method === 'POST') requireOwnOrigin(request, baseUrl());
  if (user) return null;
  const next = encodeURIComponent(link_path + request.params.token);
  return redirectTo(reply, `/auth/sign-in?next=${next}`);
}

type SubmittedForm = LinkedDecision & { form_token: string; is_confirmed: boolean };

function readDecision(body: unknown): SubmittedForm | null {
  const fields = new URLSearchParams(typeof body === 'string' ? body : '');
  const decision = fields.get('decision');
  if (decision !== 'approve' && decision !== 'reject') return null;
  // PostgreSQL cannot store NUL characters and lone surrogates.
  const note = (fields.get('note') ?? '').replaceAll('\0', '').toWellFormed().trim().slice(0, note_chars);
  return {
    decision,
    payload_sha256: fields.get('payload_sha256') ?? '',
    note: note || null,
    form_token: fields.get('form_token') ?? '',
    is_confirmed: fields.get('confirmed') === 'yes',
  };
}

const sendDecided = (reply: FastifyReply, { status }: Approval, code = 200) =>
  sendPage(
    reply,
    message(
      status === 'approved' ? 'Approved' : `The approval is ${status}`,
      status === 'approved'
        ? 'It goes ahead as soon as all other rules allow it.'
        : status === 'rejected'
          ? 'It is canceled.'
          : 'Nothing can be decided any more.',
    ),
    { status: code },
  );

const row = (name: string, value: string | null): Html | null =>
  value === null || value === '' ? null : html`<dt>${name}</dt><dd>${value}</dd>`;

function payloadOf(shown: Approval['shown']): Html {
  const more = Object.keys(shown.more).length > 0 ? JSON.stringify(shown.more, null, 2) : null;
  return html`<dl>
${row('From', shown.from)}${row('To', shown.to.join(', '))}${row('Cc', shown.cc.join(', '))}${row('Bcc', shown.bcc.join(', '))}
${row('At', shown.scheduled_at)}${row('Subject', shown.subject)}
${row('Attachments', shown.attachments.map(({ filename, size_bytes }) => `${filename} (${size_bytes} bytes)`).join(', '))}
</dl>
${shown.body_text !== null && html`<pre>${shown.body_text}</pre>`}
${shown.body_html !== null && html`<h2>HTML source</h2><pre>${shown.body_html}</pre>`}
${more !== null && html`<h2>Further data</h2><pre>${more}</pre>`}`;
}

const not_confirmed = 'Nothing was decided. Please read the page again, tick the box, and choose.';

const titles = {
  email: 'Send this email?',
  sms: 'Send this text?',
  call: 'Make this call?',
  number: 'Buy this number?',
  forward_address: 'Forward mail to this address?',
  configuration: 'Allow this change?',
  tool_call: 'Let the agent use this tool?',
} as const;

function approvalPage(approval: Approval, form_token: string, notice: string | null = null): string {
  const { object, messages, shown, requested_by, reasons } = approval;
  const title = object.noun === 'email_batch' ? `Send these ${messages.length} emails?` : titles[object.noun];
  const parts = messages.length > 0 ? messages : [shown];
  const body = html`${notice !== null && html`<p role="alert">${notice}</p>`}<p>${reasons.map(({ message }) => html`${message} `)}Rule: ${approval.rule}.</p>
<dl>${row('Requested by', requested_by.agent_id ?? requested_by.credential_id ?? requested_by.kind)}
${row('Price', `${approval.quoted_price_micros / 1_000_000}`)}${row('Expires', approval.expires_at)}</dl>
${parts.map((each, index) => html`${parts.length > 1 && html`<h2>${index + 1} of ${parts.length}</h2>`}${payloadOf(each)}`)}
<form method="post">
<input type="hidden" name="payload_sha256" value="${approval.payload_sha256}">
<input type="hidden" name="form_token" value="${form_token}">
<label for="note">Note</label><input id="note" name="note" maxlength="${note_chars}">
<label class="check"><input type="checkbox" name="confirmed" value="yes" required><span>I have read everything above</span></label>
<button name="decision" value="approve">Approve</button>
<button class="quiet" name="decision" value="reject">Reject</button>
</form>`;
  return document(title, body);
}
