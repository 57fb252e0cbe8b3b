// Emails: sending them, what becomes of them, and reading them.
import type { FastifyInstance } from 'fastify';
import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/db/database.ts';
import type { Idempotency } from '../../platform/idempotency.ts';
import type { Ids } from '../../platform/ids.ts';
import type { Jobs } from '../../platform/jobs.ts';
import type { Log } from '../../platform/log.ts';
import type { CountOutcome } from '../../platform/metrics.ts';
import type { Outbox } from '../../platform/outbox.ts';
import type { Composition } from '../../protocols/mail/compose/composition.ts';
import type { ReceivedMail } from '../../providers/mail/transport.ts';
import type { ObjectStorage } from '../../providers/storage/storage.ts';
import type { Admission, GuardedTransport } from '../admission/index.ts';
import type { EmailAttachments } from '../email-attachments/index.ts';
import type { EmailDomainService, SigningKey } from '../email-domains/index.ts';
import type { EmailSuppressions } from '../email-suppressions/index.ts';
import { messageWaits } from '../message-waits/index.ts';
import { deliveryReports } from './delivery-reports/delivery-reports.ts';
import { reportIntake } from './delivery-reports/intake.ts';
import { addIntakeRoutes } from './delivery-reports/provider-routes.ts';
import { reportReader } from './delivery-reports/report-reader.ts';
import { unreadableReports } from './delivery-reports/unreadable.ts';
import { addPreviewRoutes, mailPreviews } from './read/preview.ts';
import { presenter, reading } from './read/read-emails.ts';
import { emailRoutes } from './routes.ts';
import { composeMail } from './send/compose.ts';
import { outgoingMail } from './send/outgoing-message.ts';
import { finishing } from './send/record-outcome.ts';
import { returnPaths } from './send/return-path.ts';
import { sending } from './send/send-email.ts';
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
  idempotency: Idempotency;
  enqueue: Jobs['enqueue'];
  storage: ObjectStorage;
  /** Null when the server has none. */
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
  /** Aborted when a stop begins: held requests answer at once. */
  draining: AbortSignal;
};

export function emailFeature(deps: EmailFeatureDeps) {
  const { db, transport } = deps;
  const store = emailStore(db);
  const timeline = timelineStore(db);
  const tokens = trackingTokens(deps.tracking_key);
  const return_paths = returnPaths(deps.return_path_key);
  const delivery_reports = deliveryReports({ ...deps, timeline });
  const { finish } = finishing({ ...deps, store, timeline });
  const signing = signer();
  const reader = reportReader();
  const outgoing = outgoingMail({
    ...deps,
    tokens,
    return_paths,
    rewrites: transport?.capabilities.rewrites ?? [],
    sign: signing.sign,
  });
  const storeUnreadableReport = unreadableReports({ ...deps, timeline });
  const present = presenter(deps.baseUrl);
  const previews = mailPreviews({ ...deps, store });
  const waits = messageWaits(deps);
  const read = reading({ ...deps, store, timeline, outgoing, present });
  const service = emailService({
    waits,
    store,
    timeline,
    domains: deps.domains,
    previews,
    reading: read,
    send: sending({
      ...deps,
      store,
      facts: sendFactsStore(deps),
      outgoing,
      finish,
      present,
      confirm: delivery_reports.confirm,
    }),
    statistics: emailStatistics(deps),
  });

  return {
    /** For mail that comes back: bounces and complaints. */
    reports: reportIntake({ return_paths, store, delivery_reports, storeUnreadableReport, reader }),
    storeUnreadableReport,
    routes: emailRoutes(service),
    /** For mail that comes in. */
    get: service.get,
    sandboxOutbox: read.sandboxOutbox,
    addToTimeline: timeline.add,
    /** Somebody may wait for what was just committed. */
    notifyWaiting: waits.notify,
    jobs: emailJobs({ ...deps, store, timeline, delivery_reports, finish }),
    /** What readers and mail providers call: pictures, links, notices. */
    addPublicRoutes(app: FastifyInstance, receive: (mail: ReceivedMail, provider: string) => Promise<void>) {
      addTrackingRoutes(app, { ...deps, tokens, store, delivery_reports });
      addPreviewRoutes(app, previews);
      addIntakeRoutes(app, { ...deps, store, delivery_reports, receive });
    },
    /** For mail that is no record of an organization. */
    compose: (composition: Composition, key: SigningKey | null) =>
      composeMail(composition, key, { unsigned: transport?.capabilities.rewrites ?? [], sign: signing.sign }),
    async close(): Promise<void> {
      await Promise.all([signing.close(), reader.close()]);
    },
  };
}
