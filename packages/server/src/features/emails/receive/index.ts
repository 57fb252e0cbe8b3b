// Email in: receives mail, judges it, stores it, tells of it and passes it on.
import type { Email } from '@parley/contract/email-records';
import type { Clock } from '../../../platform/clock.ts';
import type { Database, Transaction } from '../../../platform/db/database.ts';
import type { Ids } from '../../../platform/ids.ts';
import type { Jobs } from '../../../platform/jobs.ts';
import type { Log } from '../../../platform/log.ts';
import type { CountOutcome } from '../../../platform/metrics.ts';
import type { Outbox } from '../../../platform/outbox.ts';
import { rateLimiter } from '../../../platform/rate-limit.ts';
import type { SimulatedMail } from '../../../providers/mail/transport.ts';
import type { SpamScanner } from '../../../providers/spam/spam-scanner.ts';
import type { ObjectStorage } from '../../../providers/storage/storage.ts';
import type { VirusScanner } from '../../../providers/virus/virus-scanner.ts';
import type { Admission, GuardedTransport } from '../../admission/index.ts';
import type { EmailAttachments } from '../../email-attachments/index.ts';
import type { EmailDomainService } from '../../email-domains/index.ts';
import type { Funds } from '../../funds/index.ts';
import type { StorageQuota } from '../../storage-quota/index.ts';
import type { ReportIntake } from '../delivery-reports/intake.ts';
import type { StoreUnreadableReport } from '../delivery-reports/unreadable.ts';
import { returnPaths } from '../send/return-path.ts';
import type { TimelineEntry } from '../timeline-store.ts';
import { accepting } from './accept-message.ts';
import { committing } from './commit-messages.ts';
import { messageExaminer } from './examination/examiner.ts';
import { forwarding } from './forward.ts';
import { providerIntake } from './provider-intake.ts';
import { sandboxEmailRoutes } from './sandbox.ts';
import { peerLimits } from './smtp/peers.ts';
import { type SmtpSettings, smtpListener } from './smtp/server.ts';
import { inboundStore } from './store.ts';

export type { SmtpSettings } from './smtp/server.ts';

export function inboundEmailFeature(deps: {
  db: Database;
  clock: Clock;
  ids: Ids;
  log: Log;
  countOutcome: CountOutcome;
  outbox: Outbox;
  jobs: Pick<Jobs, 'enqueue' | 'wake'>;
  storage: ObjectStorage;
  quota: StorageQuota;
  transport: GuardedTransport | null;
  admission: Pick<Admission, 'admit'>;
  /** Those of the addresses that the organization must not write to. */
  suppressedAmong(organization_id: string, addresses: string[]): Promise<string[]>;
  spam: SpamScanner | null;
  virus: VirusScanner | null;
  domains: EmailDomainService;
  attachments: EmailAttachments;
  funds: Pick<Funds, 'charging' | 'charge'>;
  emails: {
    reports: ReportIntake;
    get(organization_id: string, email_id: string): Promise<Email>;
    addToTimeline(tx: Transaction, entries: TimelineEntry[]): Promise<unknown>;
    storeUnreadableReport: StoreUnreadableReport;
    notifyWaiting(organization_id: string): void;
  };
  storeSimulatedMail(tx: Transaction, mail: SimulatedMail): Promise<void>;
  baseUrl(): string;
  return_path_key: Buffer;
  mail_host: string;
  timeout_ms: number;
  dns_servers: string[];
  max_bytes: number;
  emails_per_minute: number;
  peer_limits: { connections: number; messages_per_minute: number };
}) {
  const { emails } = deps;
  const store = inboundStore(deps.db);
  const examiner = messageExaminer({ dns_servers: deps.dns_servers, host: deps.mail_host });
  // What looks like the return paths of other forwarders, so that postmasters know it for what it is.
  const forwards = forwarding({
    ...deps,
    store,
    enqueue: deps.jobs.enqueue,
    seal: examiner.seal,
    readReport: emails.reports.read,
    addToTimeline: emails.addToTimeline,
    storeUnreadableReport: emails.storeUnreadableReport,
    return_paths: returnPaths(deps.return_path_key, 'srs0='),
  });
  const isReportPath = (address: string) =>
    emails.reports.isReturnPath(address) || forwards.isReturnPath(address);
  const accept = accepting({
    ...deps,
    examiner,
    committing: committing({
      ...deps,
      store,
      addToTimeline: emails.addToTimeline,
      notifyWaiting: emails.notifyWaiting,
    }),
    reports: emails.reports,
    limiter: rateLimiter({ db: deps.db, limit_per_minute: deps.emails_per_minute }),
    async takeReport(recipient, raw) {
      await emails.reports.recordFromReturnPath({ recipient, raw });
      await forwards.takeReport(recipient, raw);
    },
  });

  return {
    receiveFromProvider: providerIntake({ ...deps, accept, isReportPath }),
    jobs: forwards.jobs,
    sandbox_routes: sandboxEmailRoutes({ ...deps, accept, examiner, get: emails.get }),
    listener: (settings: SmtpSettings) =>
      smtpListener(
        {
          log: deps.log,
          accept,
          peers: peerLimits(deps.peer_limits),
          isReportPath,
          receiver: deps.domains.receiver,
          isFull: async (organization_id) => (await deps.quota.left(organization_id)) === 0,
        },
        settings,
      ),
    close: () => examiner.close(),
  };
}
