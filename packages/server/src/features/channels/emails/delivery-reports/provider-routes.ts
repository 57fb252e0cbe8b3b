// The URL to which a mail provider posts delivery reports and received mail.
import { Uuid } from '@parley/contract/schema/fields';
import type { FastifyInstance } from 'fastify';
import { ApiError } from '../../../../platform/http/api-error.ts';
import type { Log } from '../../../../platform/log.ts';
import type { MailReport, ProviderReport, ReceivedMail } from '../../../../providers/mail/transport.ts';
import type { GuardedTransport } from '../../../rules/admission/index.ts';
import type { EmailStore } from '../store.ts';
import { isBot } from '../tracking/bot-user-agents.ts';
import type { DeliveryReports } from './delivery-reports.ts';

const max_bytes = 512 * 1024;

export function addIntakeRoutes(
  app: FastifyInstance,
  deps: {
    transport: Pick<GuardedTransport, 'name' | 'intake'> | null;
    store: EmailStore;
    delivery_reports: DeliveryReports;
    log: Log;
    /** Mail that the provider received for us. */
    receive(mail: ReceivedMail, provider: string): Promise<void>;
    hasSystemMail(ids: readonly string[]): Promise<boolean>;
  },
): void {
  const { transport } = deps;
  const intake = transport?.intake;
  if (!intake) return;
  const emailOf = async ({ provider_message_id, email_id }: ProviderReport) =>
    (await deps.store.locate({ provider: transport.name, provider_message_id })) ??
    (email_id !== null && Uuid.safeParse(email_id).success ? deps.store.locate({ id: email_id }) : null);
  const isSystemMail = async ({ email_id }: ProviderReport) =>
    email_id !== null && Uuid.safeParse(email_id).success && deps.hasSystemMail([email_id]);
  void app.register(async (notices) => {
    // Providers post JSON as text/plain. The transport parses the raw text, because the signature covers it.
    notices.removeAllContentTypeParsers();
    notices.addContentTypeParser('*', { parseAs: 'string', bodyLimit: max_bytes }, (_, body, done) =>
      done(null, body),
    );
    notices.post(intake.path, async (request, reply) => {
      const result = await intake.receive({ headers: request.headers, body: String(request.body ?? '') });
      if (!result.ok) throw new ApiError('notice_refused', { internal: new Error(result.reason) });
      if (result.received) await deps.receive(result.received, transport.name);
      for (const each of result.reports) {
        const email = await emailOf(each);
        // System mail has no email record.
        if (!email && (await isSystemMail(each))) continue;
        // Unknown, or its commit is not finished yet. A provider repeats a notice after a 5xx, but not after a 4xx.
        if (!email) throw new ApiError('report_not_placed', { retry_after_seconds: 20 });
        const { provider_message_id } = each;
        const report = withBotFlag(each.report);
        await deps.delivery_reports.record(email.organization_id, email.id, report, { provider_message_id });
      }
      return reply.code(204).send();
    });
  });
}

/** The visits that a provider reports are checked for bots like our own. */
const withBotFlag = (report: MailReport): MailReport =>
  'machine' in report.detail
    ? {
        ...report,
        detail: { ...report.detail, machine: isBot(report.detail.user_agent as string | null) },
      }
    : report;
