// Emails: sending them, delivery reports about them, and reading them.
import type { FastifyInstance } from 'fastify';
import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/db/database.ts';
import type { Ids } from '../../platform/ids.ts';
import type { Log } from '../../platform/log.ts';
import type { CountOutcome } from '../../platform/metrics.ts';
import type { Outbox } from '../../platform/outbox.ts';
import type { UnitOfWork } from '../../platform/unit-of-work/unit-of-work.ts';
import type { Composition } from '../../protocols/mail/compose/composition.ts';
import type { SigningKey } from '../../protocols/mail/dkim/sign.ts';
import type { ReceivedMail } from '../../providers/mail/transport.ts';
import type { ObjectStorage } from '../../providers/storage/storage.ts';
import type { Admission, GuardedTransport } from '../admission/index.ts';
import type { EmailAttachments } from '../email-attachments/index.ts';
import type { EmailDomainService } from '../email-domains/index.ts';
import type { EmailSuppressions } from '../email-suppressions/index.ts';
import { messageWaits } from '../message-waits/index.ts';
import { deliveryReports } from './delivery-reports/delivery-reports.ts';
import { reportIntake } from './delivery-reports/intake.ts';
import { addIntakeRoutes } from './delivery-reports/provider-routes.ts';
import { reportReader } from './delivery-reports/report-reader.ts';
import { unreadableReports } from './delivery-reports/unreadable.ts';
import { presentEmail } from './read/present-email.ts';
import { addPreviewRoutes, mailPreviews } from './read/preview.ts';
import { readEmails } from './read/read-emails.ts';
import { emailRoutes } from './routes.ts';
import { composeMail } from './send/compose.ts';
import { buildOutgoing } from './send/outgoing-message.ts';
import { recordOutcome } from './send/record-outcome.ts';
import { returnPaths } from './send/return-path.ts';
import { sendEmail } from './send/send-email.ts';
import { sendFactsStore } from './send/send-facts-store.ts';
import { signer } from './send/signer.ts';
import { emailService } from './service.ts';
import { emailStatistics } from './statistics/statistics.ts';
import { emailStore } from './store.ts';
import { timelineStore } from './timeline-store.ts';
import { addTrackingRoutes } from './tracking/routes.ts';
import { trackingTokens } from './tracking/tokens.ts';
import { emailJobs } from './worker.ts';

export type { Composition } from '../../protocols/mail/compose/composition.ts';
export type { ReportIntake } from './delivery-reports/intake.ts';
export type { StoreUnreadableReport } from './delivery-reports/unreadable.ts';
export { inboundEmailFeature } from './receive/index.ts';
export { type ReturnPaths, returnPaths } from './send/return-path.ts';
export type { EmailRow } from './store.ts';
export { conversation_days, threadKey } from './threads.ts';
export type { TimelineEntry } from './timeline-store.ts';

export type EmailFeatureDeps = {
  db: Database;
  clock: Clock;
  ids: Ids;
  log: Log;
  countOutcome: CountOutcome;
  outbox: Outbox;
  unitOfWork: UnitOfWork;
  storage: ObjectStorage;
  /** Null when no mail transport is configured. */
  transport: GuardedTransport | null;
  domains: EmailDomainService;
  attachments: EmailAttachments;
  suppressions: EmailSuppressions;
  admission: Pick<Admission, 'admit'>;
  baseUrl(): string;
  tracking_key: Buffer;
  return_path_key: Buffer;
  preview_key: Buffer;
  /** Whether a report is about mail that the service itself wrote. */
  isSystemMail(id: string): Promise<boolean>;
  timeout_ms: number;
  /** Aborted when a stop begins: requests that wait are answered immediately. */
  draining: AbortSignal;
};

export function emailFeature(deps: EmailFeatureDeps) {
  const core = buildCore(deps);
  const { store, timeline, delivery_reports, storeUnreadableReport, return_paths, signing, reader } = core;
  const read = readEmails(core);
  const previews = mailPreviews(core);
  const waits = messageWaits(deps);
  const send = sendEmail({ ...core, facts: sendFactsStore(deps), confirm: delivery_reports.confirm });
  const statistics = emailStatistics(deps);
  const service = emailService({ ...core, read, previews, waits, send, statistics });
  return {
    /** Bounces and complaints that arrive as mail. */
    reports: reportIntake({ return_paths, store, delivery_reports, storeUnreadableReport, reader }),
    storeUnreadableReport,
    routes: emailRoutes(service),
    get: service.get,
    sandboxOutbox: read.sandboxOutbox,
    addToTimeline: timeline.add,
    /** Wakes the requests of an organization that wait for a message. */
    notifyWaiting: waits.notify,
    jobs: emailJobs(core),
    /** The URLs that readers and mail providers call: tracking, previews and provider notices. */
    addPublicRoutes(app: FastifyInstance, receive: (mail: ReceivedMail, provider: string) => Promise<void>) {
      addTrackingRoutes(app, core);
      addPreviewRoutes(app, previews);
      addIntakeRoutes(app, { ...core, receive });
    },
    /** For mail that has no email record, such as system mail. */
    compose: (composition: Composition, key: SigningKey | null) =>
      composeMail(composition, key, core.signature),
    async close(): Promise<void> {
      await Promise.all([signing.close(), reader.close()]);
    },
  };
}

/** The parts that sending, reports and reading share. */
function buildCore(deps: EmailFeatureDeps) {
  const store = emailStore(deps.db, deps.unitOfWork);
  const timeline = timelineStore(deps.db);
  const tokens = trackingTokens(deps.tracking_key);
  const return_paths = returnPaths(deps.return_path_key);
  const signing = signer();
  const signature = { unsigned: deps.transport?.capabilities.rewrites ?? [], sign: signing.sign };
  return {
    ...deps,
    store,
    timeline,
    tokens,
    return_paths,
    signing,
    signature,
    reader: reportReader(),
    delivery_reports: deliveryReports({ ...deps, timeline }),
    storeUnreadableReport: unreadableReports({ ...deps, timeline }),
    recordOutcome: recordOutcome(deps),
    outgoing: buildOutgoing({ ...deps, tokens, return_paths, signature }),
    present: presentEmail(deps.baseUrl),
  };
}
