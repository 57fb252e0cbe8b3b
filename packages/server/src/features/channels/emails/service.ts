// The operations of emails, as the routes call them.
import type { EmailWait } from '@parley/contract/channels/emails/email-records';
import type { EmailCreate, EmailForward, EmailReply } from '@parley/contract/channels/emails/email-requests';
import type { MessagePatch } from '@parley/contract/rules/approvals/hold';
import type { PageRequest } from '../../../platform/db/page.ts';
import type { Context } from '../../../platform/http/context.ts';
import type { MessageLabels } from '../../inbox/labels/index.ts';
import {
  codeText,
  type MessageWaits,
  verificationCode,
  type WaitOptions,
} from '../../inbox/message-waits/index.ts';
import type { EmailAttachments } from '../email-attachments/index.ts';
import type { EmailDomainService } from '../email-domains/index.ts';
import type { InboundStore } from './inbound-store.ts';
import type { MailPreviews } from './read/preview.ts';
import type { EmailView, ReadEmails } from './read/read-emails.ts';
import { requireReadable } from './read/readable.ts';
import type { TextReader } from './read/text-reader.ts';
import type { ChangeQuarantine } from './receive/quarantine/change-quarantine.ts';
import { forwardOf } from './send/prepare/forward.ts';
import { replyTo } from './send/prepare/reply.ts';
import type { SendRequest } from './send/prepare/resolve-request.ts';
import type { SendContext, SendEmail } from './send/send-email.ts';
import type { EmailStatisticsQuery } from './statistics/statistics.ts';
import type { EmailStore } from './store.ts';
import type { TimelineStore } from './timeline-store.ts';
import type { ChangeWaitingEmails } from './waiting/change-waiting-email.ts';

export function emailService(deps: {
  waits: MessageWaits;
  store: EmailStore;
  inbound: InboundStore;
  timeline: TimelineStore;
  read: ReadEmails;
  previews: MailPreviews;
  domains: EmailDomainService;
  attachments: EmailAttachments;
  texts: Pick<TextReader, 'readable' | 'plain'>;
  send: SendEmail;
  waiting: ChangeWaitingEmails;
  changeLabels: MessageLabels;
  quarantine: ChangeQuarantine;
  statistics: EmailStatisticsQuery;
}) {
  const { read } = deps;
  /** Whether the organization can send from an address. */
  const isOwnOf = (organization_id: string) => async (address: string) =>
    typeof (await deps.domains.sender(organization_id, { address })) !== 'string';
  return {
    create: (organization_id: string, input: EmailCreate | SendRequest, context: SendContext) =>
      deps.send(organization_id, input, context),

    async reply(
      organization_id: string,
      email_id: string,
      input: EmailReply,
      context: SendContext & Pick<Context, 'caller'>,
    ) {
      const email = requireReadable(context, await read.find(organization_id, email_id));
      return deps.send(organization_id, await replyTo(email, input, isOwnOf(organization_id)), context);
    },

    async forward(organization_id: string, email_id: string, input: EmailForward, context: SendContext) {
      const email = await read.find(organization_id, email_id);
      const isOwn = isOwnOf(organization_id);
      const request = await forwardOf({ ...deps, ...read, isOwn }, email, input);
      return deps.send(organization_id, request, context);
    },

    async update(organization_id: string, id: string, { scheduled_at, labels }: MessagePatch) {
      if (scheduled_at !== undefined) await deps.waiting.reschedule({ organization_id, id }, scheduled_at);
      if (labels) await deps.changeLabels(organization_id, id, labels);
      return read.get(organization_id, id);
    },

    async cancel(organization_id: string, id: string) {
      await deps.waiting.cancel({ organization_id, id });
      return read.get(organization_id, id);
    },

    async release(context: Context, id: string) {
      await deps.quarantine.release(context, id);
      return read.get(context.organization_id, id);
    },

    async quarantine(context: Context, id: string) {
      await deps.quarantine.quarantine(context, id);
      return read.get(context.organization_id, id);
    },

    list: (organization_id: string, query: Parameters<EmailStore['list']>[1]) =>
      deps.store.list(organization_id, query),
    stats: deps.statistics,
    get: read.get,

    wait: (organization_id: string, query: WaitQuery, context: Pick<Context, 'onClose'>) =>
      waitForEmail(deps, organization_id, query, context),

    async events(organization_id: string, email_id: string, page: PageRequest) {
      await read.find(organization_id, email_id);
      return deps.timeline.list(organization_id, email_id, page);
    },

    preview: deps.previews.link,
    raw: read.rawLink,
    attachment: (context: Reader, email_id: string, id: string) => attachment(read, context, email_id, id),
  };
}
type WaitQuery = WaitOptions & {
  to?: string | undefined;
  from?: string | undefined;
  conversation_ids?: readonly string[] | undefined;
  view?: EmailView | undefined;
};

async function waitForEmail(
  { waits, inbound, read }: { waits: MessageWaits; inbound: InboundStore; read: ReadEmails },
  organization_id: string,
  query: WaitQuery,
  context: Pick<Context, 'onClose'>,
): Promise<EmailWait> {
  const found = await waits.until(organization_id, query, context, (since) =>
    inbound.first(organization_id, { ...query, since }),
  );
  if (!found) return { email: null, code: null };
  const email = await read.get(organization_id, found.id, query.view);
  return { email, code: verificationCode(codeText(email)) };
}

export type EmailService = ReturnType<typeof emailService>;

type Reader = Pick<Context, 'caller' | 'organization_id'>;

async function attachment(read: ReadEmails, context: Reader, email_id: string, id: string) {
  const { organization_id, caller } = context;
  if (caller.conversation) requireReadable(context, await read.find(organization_id, email_id));
  return read.attachmentLink(organization_id, email_id, id);
}
