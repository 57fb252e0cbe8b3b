// Receives mail: over SMTP, from a provider or from the sandbox. Checks, stores, announces and forwards it.
import type { Email } from '@parley/contract/channels/emails/email-records';
import type { Transaction } from '../../../../platform/db/database.ts';
import { rateLimiter } from '../../../../platform/rate-limit.ts';
import type { AuditLog } from '../../../access/audit/index.ts';
import type { ReceiveRules } from '../../../rules/receive-rules/index.ts';
import type { StorageQuota } from '../../../rules/storage-quota/index.ts';
import type { EmailAttachments } from '../../email-attachments/index.ts';
import type { EmailDomainService } from '../../email-domains/index.ts';
import type { ReportIntake } from '../delivery-reports/intake.ts';
import type { StoreUnreadableReport } from '../delivery-reports/reading/unreadable.ts';
import { returnPaths } from '../send/message/return-path.ts';
import type { TimelineEntry } from '../timeline-store.ts';
import { type AcceptDeps, acceptMessage } from './accept/accept-message.ts';
import { type CommitDeps, commitMessages } from './accept/commit-messages.ts';
import { tracedAccept } from './accept/traced-accept.ts';
import { messageExaminer } from './examination/examiner.ts';
import { recordForwardBounce } from './forward/bounces.ts';
import { type ForwardDeps, forwardJobs } from './forward/forward-email.ts';
import { providerIntake } from './provider-intake.ts';
import { changeQuarantine, quarantineJobs } from './quarantine/change-quarantine.ts';
import { sandboxEmailRoutes } from './routes.ts';
import { peerLimits } from './smtp/peer-limits.ts';
import { type SmtpSettings, smtpListener } from './smtp/server.ts';
import { answersOwn } from './store.ts';

export type { SmtpSettings } from './smtp/server.ts';

export type ReceiveDeps = Pick<ForwardDeps, 'db'> &
  Omit<CommitDeps, 'notifyWaiting' | 'rules'> &
  Pick<AcceptDeps, 'log' | 'storage' | 'spam' | 'virus' | 'max_bytes' | 'hasSystemMail'> &
  Pick<
    ForwardDeps,
    'transport' | 'admission' | 'suppressedAmong' | 'storeSimulatedMail' | 'mail_host' | 'timeout_ms'
  > & {
    quota: StorageQuota;
    rules: ReceiveRules;
    audit: AuditLog;
    quarantine_days: number;
    domains: EmailDomainService;
    attachments: EmailAttachments;
    /** The parts of the email feature that receiving uses. */
    emails: {
      reports: ReportIntake;
      get(organization_id: string, email_id: string): Promise<Email>;
      addToTimeline(tx: Transaction, entries: TimelineEntry[]): Promise<unknown>;
      storeUnreadableReport: StoreUnreadableReport;
      notifyWaiting(organization_id: string): void;
    };
    return_path_key: Buffer;
    dns_servers: string[];
    emails_per_minute: number;
    peer_limits: { connections: number; messages_per_minute: number };
  };

export function receiveMail(deps: ReceiveDeps) {
  const { emails } = deps;
  const { addToTimeline, storeUnreadableReport, notifyWaiting } = emails;
  const examiner = messageExaminer({ dns_servers: deps.dns_servers, host: deps.mail_host });
  // The prefix that other forwarders use too, so that postmasters recognize the return path of a forward.
  const return_paths = returnPaths(deps.return_path_key, 'srs0=');
  const forward_deps = {
    ...deps,
    addToTimeline,
    storeUnreadableReport,
    return_paths,
    enqueue: deps.jobs.enqueue,
    seal: examiner.seal,
    readReport: emails.reports.read,
  };
  const accept_deps: AcceptDeps = {
    ...deps,
    examiner,
    commitMessage: commitMessages({ ...deps, notifyWaiting }),
    reports: emails.reports,
    answersOwn: answersOwn(deps.db),
    limiter: rateLimiter({ db: deps.db, limit_per_minute: deps.emails_per_minute }),
    async recordReport(recipient, raw) {
      await emails.reports.recordFromReturnPath({ recipient, raw });
      await recordForwardBounce(forward_deps, recipient, raw);
    },
  };
  const quarantine_deps = { ...deps, addToTimeline, notifyWaiting };
  const accept = tracedAccept(deps.tracing, (delivery) => acceptMessage(accept_deps, delivery));
  const isReportPath = (address: string) =>
    emails.reports.isReturnPath(address) || return_paths.read(address) !== null;

  return {
    receiveFromProvider: providerIntake({ ...deps, accept, isReportPath }),
    jobs: [...forwardJobs(forward_deps), ...quarantineJobs(quarantine_deps)],
    quarantine: changeQuarantine(quarantine_deps),
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
