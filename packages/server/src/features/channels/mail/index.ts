// Builds everything about mail: domains, attachments, suppressions, sending, receiving and system mail.
import { readFileSync } from 'node:fs';
import { readMailbox } from '@parley/contract/schema/mailbox';
import type { FastifyInstance } from 'fastify';
import type { Config } from '../../../config/config.ts';
import { systemMailFrom } from '../../../config/mail.ts';
import { systemClock } from '../../../platform/clock.ts';
import type { Transaction } from '../../../platform/db/database.ts';
import { dnsResolver } from '../../../platform/dns.ts';
import { untilCut } from '../../../platform/drain.ts';
import type { Platform } from '../../../platform/platform.ts';
import { selfSignedCertificate } from '../../../protocols/self-signed-certificate.ts';
import type { SimulatedMail } from '../../../providers/mail/transport.ts';
import type { SpamScanner } from '../../../providers/spam/spam-scanner.ts';
import type { ObjectStorage } from '../../../providers/storage/storage.ts';
import type { VirusScanner } from '../../../providers/virus/virus-scanner.ts';
import type { AuditLog } from '../../access/audit/index.ts';
import type { RequestAnswer } from '../../agents/agents/index.ts';
import type { Admission, GuardedTransport, WithdrawApproval } from '../../rules/admission/index.ts';
import type { Budgets } from '../../rules/budgets/index.ts';
import type { ConsentRevocations } from '../../rules/consents/index.ts';
import type { Funds } from '../../rules/funds/index.ts';
import type { ReceiveRules } from '../../rules/receive-rules/index.ts';
import type { StorageQuota } from '../../rules/storage-quota/index.ts';
import { emailAttachmentFeature } from '../email-attachments/index.ts';
import {
  addForwardPages,
  type EmailDomainDeps,
  emailDomainRoutes,
  emailDomainService,
} from '../email-domains/index.ts';
import { type EmailSuppressions, emailSuppressionFeature } from '../email-suppressions/index.ts';
import { emailFeature } from '../emails/index.ts';
import { mailObjectSweep } from '../mail-objects/index.ts';
import { systemMailFeature } from '../system-mail/index.ts';
import { mailReadiness } from './readiness.ts';

const certificate_days = 3650;
const buffered_bytes = 512 * 1024 * 1024;

type MailNeeds = Platform & {
  config: Config;
  storage: ObjectStorage;
  quota: StorageQuota;
  transport: GuardedTransport | null;
  scanners: { spam: SpamScanner | null; virus: VirusScanner | null };
  admission: Pick<Admission, 'admit'>;
  funds: Pick<Funds, 'charging' | 'charge'>;
  audit: AuditLog;
  revocations: ConsentRevocations;
  rules: ReceiveRules;
  /** Ends the approval of an email that its sender cancels. */
  withdrawApproval: WithdrawApproval;
  budgets: Pick<Budgets, 'giveBack'>;
  /** The approval policy, for new forward addresses. */
  approvals: EmailDomainDeps['approvals'];
  /** For agents that answer mail. */
  requestAnswer: RequestAnswer;
  hasAgent: EmailDomainDeps['hasAgent'];
  /** The domain of addresses that need no set-up while the transport is simulated. */
  sandbox_domain: string;
  /** Mail without an email record, for the sandbox outbox. */
  storeSimulatedMail(tx: Transaction, mail: SimulatedMail): Promise<void>;
};

/** Settings that several mail features share. */
const sharedSettings = (config: Config) => ({
  mail_host: config.PARLEY_MAIL_HOST ?? config.PARLEY_SERVICE_MAIL_DOMAIN,
  dns_servers: config.PARLEY_DNS_SERVERS?.split(',').map((server) => server.trim()) ?? [],
  timeout_ms: config.PARLEY_EMAIL_TIMEOUT_SECONDS * 1000,
});

export function mailFeature(needs: MailNeeds) {
  const { config } = needs;
  const deps = { ...needs, ...sharedSettings(config) };
  const suppressions = emailSuppressionFeature(deps);
  const domains = buildDomains(deps, suppressions, (tx, mail) => system_mail.send(tx, mail));
  const attachments = emailAttachmentFeature({
    ...deps,
    clock: deps.expiry_clock,
    max_bytes: config.PARLEY_ATTACHMENT_MAX_BYTES,
    email_max_bytes: config.PARLEY_EMAIL_ATTACHMENTS_MAX_BYTES,
    kept_days: config.PARLEY_ATTACHMENT_KEPT_DAYS,
  });
  const emails = emailFeature({
    ...deps,
    ...deps.scanners,
    ...emailSettings(deps),
    domains,
    attachments,
    suppressions,
    hasSystemMail: (ids) => system_mail.has(ids),
  });
  const system_mail = systemMailFeature({
    ...deps,
    from: readMailbox(systemMailFrom(config))!,
    signingKey: domains.serviceMailKey,
    isReceivedHere: domains.isReceivedHere,
    compose: emails.compose,
  });

  return {
    domains,
    system_mail,
    reports: emails.reports,
    reply: emails.reply,
    send: emails.send,
    requests: emails.requests,
    attachments,
    agent_emails: emails.agent_emails,
    received: emails.received,
    readAsText: emails.readAsText,
    writtenText: emails.writtenText,
    history: emails.history,
    waiting_records: { email: emails.waiting_emails, forward_address: domains.waiting_forwards },
    /** For consents: the recipient gets no more mail. */
    suppressRevoked: (tx: Transaction, organization_id: string, recipient: string) =>
      suppressions.suppress(organization_id, { recipient, reason: 'unsubscribe', source: 'revocation' }, tx),
    sandboxOutbox: emails.sandboxOutbox,
    readiness: [mailReadiness(deps.transport)],
    jobs: [
      ...[emails, system_mail, attachments, domains.forwards].flatMap(({ jobs }) => jobs),
      mailObjectSweep({ ...deps, wall_clock: systemClock() }),
    ],
    routes: [...emails.routes, attachments.routes, emailDomainRoutes(domains), suppressions.routes],
    prepare: () => logSetup(deps, domains),
    addHttp(http: FastifyInstance): void {
      emails.addHttp(http);
      addForwardPages(http, domains.forwards);
    },
    smtp: mailServer(deps, emails.smtpListener),
    start: emails.start,
    async close(): Promise<void> {
      await deps.transport?.close();
      await emails.close();
    },
  };
}
export type MailFeature = ReturnType<typeof mailFeature>;

type Shared = MailNeeds & ReturnType<typeof sharedSettings>;

const buildDomains = (deps: Shared, suppressions: EmailSuppressions, send: EmailDomainDeps['mail']['send']) =>
  emailDomainService({
    ...deps,
    forward_per_hour_max: deps.config.PARLEY_FORWARD_PER_HOUR_MAX,
    suppressedAmong: suppressions.among,
    mail: { can_send: deps.transport !== null, send },
    dns: dnsResolver({ servers: deps.dns_servers }),
    service_mail: {
      domain: deps.config.PARLEY_SERVICE_MAIL_DOMAIN,
      prefix_user: deps.config.PARLEY_SERVICE_MAIL_PREFIX_USER,
      prefix_org: deps.config.PARLEY_SERVICE_MAIL_PREFIX_ORG,
    },
    spf: deps.config.PARLEY_MAIL_SPF ?? `v=spf1 a:${deps.mail_host} ~all`,
    provider: deps.transport?.name ?? 'none',
    sandbox_domain: deps.transport?.capabilities.simulated ? deps.sandbox_domain : null,
  });

const emailSettings = ({ config, keyFor }: Shared) => ({
  keys: {
    tracking: keyFor('tracking links'),
    return_path: keyFor('return paths'),
    forward_path: keyFor('forward paths'),
    preview: keyFor('mail previews'),
  },
  has_sandbox: config.sandbox,
  quarantine_days: config.PARLEY_QUARANTINE_DAYS,
  max_bytes: config.PARLEY_INBOUND_MAX_BYTES,
  emails_per_minute: config.PARLEY_INBOUND_EMAILS_PER_MINUTE,
  peer_limits: {
    connections: config.PARLEY_INBOUND_PEER_CONNECTIONS,
    messages_per_minute: config.PARLEY_INBOUND_PEER_MESSAGES_PER_MINUTE,
  },
});

/** Logs at the start what the operator still has to set up: a transport, or the DNS record of the signing key. */
async function logSetup(
  { config, log, transport }: Shared,
  domains: ReturnType<typeof emailDomainService>,
): Promise<void> {
  if (!transport && config.PARLEY_MANAGED === 'on') {
    log.warn(
      'managed mode without a mail transport: sign-up and password reset do not work; set PARLEY_SMTP_URL or PARLEY_MAIL_TRANSPORT',
    );
  }
  if (!transport || transport.capabilities.simulated) return;
  const { name, type, value } = await domains.serviceMailRecord();
  log.info(
    { dns_name: name, dns_type: type, dns_value: value },
    'service mail is signed; publish this DNS record',
  );
}

function mailServer(
  { config, mail_host }: Shared,
  smtpListener: ReturnType<typeof emailFeature>['smtpListener'],
) {
  let listener: ReturnType<typeof smtpListener> | null = null;
  return {
    /** Returns the port. */
    listen(): Promise<number> {
      listener = smtpListener({
        host: config.SMTP_HOST ?? config.HOST,
        port: config.SMTP_PORT ?? (config.PORT === 0 ? 0 : 2525),
        name: mail_host,
        tls: mailCertificate(config, mail_host),
        max_bytes: config.PARLEY_INBOUND_MAX_BYTES,
        max_connections: config.PARLEY_INBOUND_CONNECTIONS,
        proxies: config.PARLEY_SMTP_PROXY_NETWORKS,
        max_buffered_bytes: buffered_bytes,
      });
      return listener.listen();
    },
    /** Messages in progress may finish until the cut. */
    async close(cut?: AbortSignal): Promise<void> {
      if (listener) await untilCut(listener.close(), cut);
    },
  };
}

/** Of the mail server and of SMTP submission. */
export function mailCertificate(config: Config, host: string): { cert: string; key: string } {
  const { PARLEY_INBOUND_TLS_CERT: cert, PARLEY_INBOUND_TLS_KEY: key } = config;
  if (cert !== null && key !== null) {
    return { cert: readFileSync(cert, 'utf8'), key: readFileSync(key, 'utf8') };
  }
  return selfSignedCertificate({ host, now: new Date(), days: certificate_days });
}
