// The address where a mail provider posts what became of emails.
import { Uuid } from '@parley/contract/fields';
import type { FastifyInstance } from 'fastify';
import { ApiError } from '../../../platform/http/api-error.ts';
import type { Log } from '../../../platform/log.ts';
import type { MailReport, ProviderReport, ReceivedMail } from '../../../providers/mail/transport.ts';
import type { GuardedTransport } from '../../admission/index.ts';
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
    isSystemMail(id: string): Promise<boolean>;
  },
): void {
  const { transport } = deps;
  const intake = transport?.intake;
  if (!intake) return;
  const emailOf = async ({ provider_message_id, email_id }: ProviderReport) =>
    (await deps.store.locate({ provider: transport.name, provider_message_id })) ??
    (email_id !== null && Uuid.safeParse(email_id).success ? deps.store.locate({ id: email_id }) : null);
  const isSystemMail = async ({ email_id }: ProviderReport) =>
    email_id !== null && Uuid.safeParse(email_id).success && deps.isSystemMail(email_id);
  void app.register(async (notices) => {
    // Providers call their JSON plain text; the signature covers what it says, so it is read by the transport.
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
        // Mail of the service itself has no record to report to.
        if (!email && (await isSystemMail(each))) continue;
        // Not ours, or not yet known. A provider tells once more what a server could not take, not what it did not want.
        if (!email) throw new ApiError('report_not_placed', { retry_after_seconds: 20 });
        const { provider_message_id } = each;
        const report = withMachine(each.report);
        await deps.delivery_reports.record(email.organization_id, email.id, report, { provider_message_id });
      }
      return reply.code(204).send();
    });
  });
}

/** Visits that a provider counted are judged as our own. */
const withMachine = (report: MailReport): MailReport =>
  'machine' in report.detail
    ? {
        ...report,
        detail: { ...report.detail, machine: isBot(report.detail.user_agent as string | null) },
      }
    : report;
