// Emails: sending, receiving, delivery reports, tracking, statistics and reading, composed into one feature.
import type { FastifyInstance } from 'fastify';
import type { Clock } from '../../../platform/clock.ts';
import type { Database } from '../../../platform/db/database.ts';
import type { FindIds } from '../../../platform/db/list-filter.ts';
import type { Ids } from '../../../platform/ids.ts';
import type { Log } from '../../../platform/log.ts';
import type { CountOutcome } from '../../../platform/metrics.ts';
import type { Outbox } from '../../../platform/outbox.ts';
import type { Tracing } from '../../../platform/tracing/trace.ts';
import type { UnitOfWork } from '../../../platform/unit-of-work/unit-of-work.ts';
import type { Wake } from '../../../platform/wake.ts';
import type { Composition } from '../../../protocols/mail/compose/composition.ts';
import type { SigningKey } from '../../../protocols/mail/dkim/sign.ts';
import type { ObjectStorage } from '../../../providers/storage/storage.ts';
import { conversationThreads } from '../../inbox/conversations/index.ts';
import { messageLabels } from '../../inbox/labels/index.ts';
import { codeText, messageWaits } from '../../inbox/message-waits/index.ts';
import type { Admission, GuardedTransport, WithdrawApproval } from '../../rules/admission/index.ts';
import type { Budgets } from '../../rules/budgets/index.ts';
import type { ConsentRevocations } from '../../rules/consents/index.ts';
import type { EmailAttachments } from '../email-attachments/index.ts';
import type { EmailDomainService } from '../email-domains/index.ts';
import type { EmailSuppressions } from '../email-suppressions/index.ts';
import { emailBatchRoutes } from './batch/routes.ts';
import { type SendBatch, sendBatch } from './batch/send-batch.ts';
import { batchStore } from './batch/store.ts';
import { deliveryReports } from './delivery-reports/delivery-reports.ts';
import { reportIntake } from './delivery-reports/intake.ts';
import { addIntakeRoutes } from './delivery-reports/provider-routes.ts';
import { reportReader } from './delivery-reports/reading/report-reader.ts';
import { unreadableReports } from './delivery-reports/reading/unreadable.ts';
import { emailHistory } from './explain-store.ts';
import { type InboundFilter, type InboundStore, inboundStore, receivedAt } from './inbound-store.ts';
import { presentEmail } from './read/present-email.ts';
import { addPreviewRoutes, mailPreviews } from './read/preview.ts';
import { readEmails } from './read/read-emails.ts';
import { textReader } from './read/text-reader.ts';
import { type ReceiveDeps, receiveMail } from './receive/receive-mail.ts';
import { emailRoutes } from './routes.ts';
import { agentEmails } from './send/agent-emails.ts';
import { composeMail } from './send/message/compose.ts';
import { buildOutgoing } from './send/message/outgoing-message.ts';
import { returnPaths } from './send/message/return-path.ts';
import { signer } from './send/message/signer.ts';
import { recordOutcome } from './send/record-outcome.ts';
import { sendEmail } from './send/send-email.ts';
import { sendFactsStore } from './send/send-facts-store.ts';
import { type EmailService, emailService } from './service.ts';
import { emailStatistics } from './statistics/statistics.ts';
import { emailStore } from './store.ts';
import { timelineStore } from './timeline-store.ts';
import { addTrackingRoutes } from './tracking/routes.ts';
import { trackingTokens } from './tracking/tokens.ts';
import { changeWaitingEmails } from './waiting/change-waiting-email.ts';
import { waitingEmailJobs } from './waiting/send-waiting-email.ts';
import { closeLeftBehind, emailJobs } from './worker.ts';

export type { Composition } from '../../../protocols/mail/compose/composition.ts';
export type { ReportIntake } from './delivery-reports/intake.ts';
export type { EmailHistory } from './explain-store.ts';
export { displayNamesOf, emailPersonalData } from './personal-data-store.ts';
export type { EmailText } from './read/text-reader.ts';
export type { SmtpSettings } from './receive/receive-mail.ts';
export { service_mail_field } from './receive/service-mail-mark.ts';
export { type PeerLimits, peerLimits } from './receive/smtp/peer-limits.ts';
export { useClientAddresses } from './receive/smtp/proxied-smtp.ts';
export { type BufferBudget, withMessage as withSmtpMessage } from './receive/smtp/read-message.ts';
export type { AgentEmails } from './send/agent-emails.ts';
export { type ReturnPaths, returnPaths } from './send/message/return-path.ts';
export { type UncomposedMail, withMessage } from './send/message/with-message.ts';
export type { MoreOfRequest, SendRequest } from './send/prepare/resolve-request.ts';
export { closeRestoredEmails } from './send/restored-store.ts';
export { type HandOverFailure, requireSent } from './send/send-email.ts';
export type { EmailRow } from './store.ts';
export { conversation_days, threadKey } from './threads.ts';
export type { TimelineEntry } from './timeline-store.ts';

export type EmailRequests = Pick<EmailService, 'create' | 'get' | 'update' | 'cancel' | 'events'> & {
  createBatch: SendBatch['create'];
};

export type EmailFeatureDeps = Omit<ReceiveDeps, 'emails' | 'suppressedAmong' | 'return_path_key'> & {
  db: Database;
  clock: Clock;
  ids: Ids;
  log: Log;
  countOutcome: CountOutcome;
  outbox: Outbox;
  unitOfWork: UnitOfWork;
  /** For lists with filters by words and people. */
  findIds: FindIds;
  storage: ObjectStorage;
  /** Null when no mail transport is configured. */
  transport: GuardedTransport | null;
  domains: EmailDomainService;
  attachments: EmailAttachments;
  suppressions: EmailSuppressions;
  revocations: Pick<ConsentRevocations, 'revoke' | 'suspect'>;
  admission: Pick<Admission, 'admit'>;
  baseUrl(): string;
  tracing: Tracing | null;
  keys: Record<'tracking' | 'return_path' | 'forward_path' | 'preview', Buffer>;
  /** Null while no feature has approvals. */
  withdrawApproval: WithdrawApproval | null;
  budgets: Pick<Budgets, 'giveBack'>;
  timeout_ms: number;
  wake: Pick<Wake, 'start' | 'isAlone'>;
  /** Aborted when a stop begins: requests that wait are answered immediately. */
  draining: AbortSignal;
  /** With the sandbox on, mail can be received over the API. */
  has_sandbox: boolean;
};

/** What waits look for: the first received email that fits, and the texts in which codes are found. */
const receivedEmails = ({ inbound, texts }: Pick<ReturnType<typeof buildCore>, 'inbound' | 'texts'>) => ({
  async first(organization_id: string, filter: InboundFilter) {
    const email = await inbound.first(organization_id, filter);
    return email && { id: email.id, at: receivedAt(email) };
  },
  async texts(organization_id: string, filter: Parameters<InboundStore['page']>[1]) {
    const rows = await inbound.page(organization_id, filter);
    return Promise.all(
      rows.map(async (row) => ({
        id: row.id,
        at: receivedAt(row),
        text: codeText({ subject: row.subject, extracted_text: await texts.extracted(row) }),
      })),
    );
  },
});

export function emailFeature(deps: EmailFeatureDeps) {
  const core = buildCore(deps);
  const { delivery_reports, signing, reader, texts } = core;
  const read = readEmails(core);
  const previews = mailPreviews({ ...core, preview_key: deps.keys.preview });
  const waits = messageWaits(deps);
  const send_deps = { ...core, facts: sendFactsStore(deps), confirm: delivery_reports.confirm };
  const waiting = changeWaitingEmails(send_deps);
  const send = sendEmail(send_deps);
  const batches = sendBatch({ ...send_deps, batches: batchStore(deps.db) });
  const receive = buildReceive(deps, core, read.get, waits.notify);
  const service = emailService({
    ...core,
    read,
    quarantine: receive.quarantine,
    previews,
    waits,
    send,
    waiting,
    changeLabels: messageLabels(deps.db, 'emails'),
    statistics: emailStatistics(deps),
  });
  return {
    routes: [
      emailRoutes(service, conversationThreads(deps.db).threadsOf),
      emailBatchRoutes(batches),
      ...(deps.has_sandbox ? [receive.sandbox_routes] : []),
    ],
    jobs: [...emailJobs(core), ...waitingEmailJobs(send_deps), ...receive.jobs],
    reply: service.reply,
    send: service.create,
    /** For requests of other forms than those of the API. */
    requests: { ...service, createBatch: batches.create },
    /** For agents. */
    agent_emails: agentEmails({ ...core, send }),
    /** For waits. */
    received: receivedEmails(core),
    readAsText: (organization_id: string, id: string) => read.get(organization_id, id, 'text'),
    /** What the sender of an email wrote. */
    writtenText: texts.written,
    /** For explain. */
    history: (organization_id: string, id: string) => emailHistory(deps.db, organization_id, id),
    /** For approvals. */
    waiting_emails: waiting.port,
    /** The URLs that readers and mail providers call: tracking, previews and provider notices. */
    addHttp(http: FastifyInstance): void {
      addTrackingRoutes(http, core);
      addPreviewRoutes(http, previews);
      addIntakeRoutes(http, { ...core, receive: receive.receiveFromProvider });
    },
    /** Not awaited: it waits for the connection that shows other processes. */
    start(): void {
      closeLeftBehind(core).catch((error) =>
        deps.log.warn({ err: error }, 'emails of an earlier process are closed at their deadline'),
      );
    },
    async close(): Promise<void> {
      await Promise.all([receive.close(), signing.close(), reader.close(), texts.close()]);
    },
    smtpListener: receive.listener,
    /** Bounces and complaints that arrive as mail. */
    reports: core.reports,
    sandboxOutbox: read.sandboxOutbox,
    /** For mail that has no email record, such as system mail. */
    compose: (composition: Composition, key: SigningKey | null) =>
      composeMail(composition, key, core.signature),
  };
}

/** The parts that sending, receiving, reports and reading share. */
function buildCore(deps: EmailFeatureDeps) {
  const store = emailStore(deps.db, deps.unitOfWork, deps.findIds);
  const inbound = inboundStore(deps.db);
  const timeline = timelineStore(deps.db);
  const tokens = trackingTokens(deps.keys.tracking);
  const return_paths = returnPaths(deps.keys.return_path);
  const signing = signer();
  const signature = { unsigned: deps.transport?.capabilities.rewrites ?? [], sign: signing.sign };
  const reader = reportReader();
  const texts = textReader(deps);
  const delivery_reports = deliveryReports({ ...deps, timeline });
  const storeUnreadableReport = unreadableReports({ ...deps, timeline });
  return {
    ...deps,
    store,
    inbound,
    timeline,
    tokens,
    signing,
    signature,
    reader,
    texts,
    delivery_reports,
    storeUnreadableReport,
    reports: reportIntake({ return_paths, store, delivery_reports, storeUnreadableReport, reader }),
    recordOutcome: recordOutcome(deps),
    outgoing: buildOutgoing({ ...deps, tokens, return_paths, signature, texts }),
    present: presentEmail(deps.baseUrl),
  };
}
type Core = ReturnType<typeof buildCore>;

const buildReceive = (
  deps: EmailFeatureDeps,
  { reports, storeUnreadableReport, timeline }: Core,
  get: ReceiveDeps['emails']['get'],
  notifyWaiting: ReceiveDeps['emails']['notifyWaiting'],
) =>
  receiveMail({
    ...deps,
    suppressedAmong: deps.suppressions.among,
    return_path_key: deps.keys.forward_path,
    emails: { reports, storeUnreadableReport, get, notifyWaiting, addToTimeline: timeline.add },
  });
