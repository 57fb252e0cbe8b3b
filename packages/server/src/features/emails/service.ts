// Emails as the API offers them: what each operation asks of the parts.
import type { EmailWait } from '@parley/contract/email-records';
import type { EmailCreate, EmailReply } from '@parley/contract/emails';
import type { PageRequest } from '../../platform/db/page.ts';
import type { Context } from '../../platform/http/context.ts';
import type { EmailDomainService } from '../email-domains/index.ts';
import { type MessageWaits, verificationCode, type WaitWish } from '../message-waits/index.ts';
import type { MailPreviews } from './read/preview.ts';
import type { EmailView, Reading } from './read/read-emails.ts';
import { replyTo } from './send/reply.ts';
import type { SendContext, sending } from './send/send-email.ts';
import type { emailStatistics } from './statistics/statistics.ts';
import type { EmailStore } from './store.ts';
import type { TimelineStore } from './timeline-store.ts';

export function emailService(deps: {
  waits: MessageWaits;
  store: EmailStore;
  timeline: TimelineStore;
  reading: Reading;
  previews: MailPreviews;
  domains: EmailDomainService;
  send: ReturnType<typeof sending>;
  statistics: ReturnType<typeof emailStatistics>;
}) {
  const { reading } = deps;
  return {
    create: (organization_id: string, given: EmailCreate, context: SendContext) =>
      deps.send(organization_id, given, context),

    async reply(organization_id: string, email_id: string, given: EmailReply, context: SendContext) {
      const email = await reading.find(organization_id, email_id);
      const isOwn = async (address: string) =>
        typeof (await deps.domains.sender(organization_id, { address })) !== 'string';
      return deps.send(organization_id, await replyTo(email, given, isOwn), context);
    },

    list: (organization_id: string, query: Parameters<EmailStore['list']>[1]) =>
      deps.store.list(organization_id, query),
    stats: deps.statistics,
    get: reading.get,

    async wait(
      organization_id: string,
      wish: WaitWish & {
        to?: string | undefined;
        from?: string | undefined;
        conversation_id?: string | undefined;
        view?: EmailView | undefined;
      },
      context: Pick<Context, 'onClose'>,
    ): Promise<EmailWait> {
      const found = await deps.waits.until(organization_id, wish, context, (since) =>
        deps.store.firstInbound(organization_id, { ...wish, since }),
      );
      if (!found) return { email: null, code: null };
      const email = await reading.get(organization_id, found.id, wish.view);
      const words = `${email.subject}\n${email.extracted_text ?? email.body_text ?? ''}`;
      return { email, code: verificationCode(words) };
    },

    async events(organization_id: string, email_id: string, page: PageRequest) {
      await reading.find(organization_id, email_id);
      return deps.timeline.list(organization_id, email_id, page);
    },

    preview: deps.previews.link,
    raw: reading.rawLink,
    attachment: reading.attachmentLink,
  };
}
export type EmailService = ReturnType<typeof emailService>;
