// SMTP submission: mail programs send emails with an API key as their password, to the two servers that a process with the
// role submission opens. The same services, rules and limits apply as for the API.

import type { Config } from '../../../config/config.ts';
import { submissionPorts } from '../../../config/submission.ts';
import { untilCut } from '../../../platform/drain.ts';
import { recognize } from '../../../platform/http/authenticate.ts';
import type { Authenticator } from '../../../platform/http/context.ts';
import type { OpenHolds } from '../../../platform/http/holds.ts';
import type { Readiness } from '../../../platform/readiness.ts';
import { type MailFeature, mailCertificate } from '../mail/index.ts';
import { type SubmissionDeps, type SubmissionListener, submissionListener } from './listener.ts';

export type SubmissionServers = {
  /** Returns the ports. */
  listen(): Promise<{ starttls: number; tls: number }>;
  /** Messages in progress may finish until the cut. */
  close(cut?: AbortSignal): Promise<void>;
};

const buffered_bytes = 512 * 1024 * 1024;
/** For the texts of a message, and the encoding of its files. */
const text_bytes = 3 * 1024 * 1024;
const encoded_share = 1.4;
const answer_ms = 30_000;

type SubmissionNeeds = Pick<SubmissionDeps, 'ids' | 'idempotency' | 'limiter' | 'log' | 'metrics'> & {
  config: Config;
  mail: Pick<MailFeature, 'requests' | 'domains' | 'attachments'>;
  authenticators: readonly Authenticator[];
  holds: OpenHolds;
};

export function submissionFeature(needs: SubmissionNeeds) {
  const { config, mail, authenticators } = needs;
  const listener = submissionListener({
    ...needs,
    recognize: (bearer) => recognize(authenticators, bearer),
    emails: mail.requests,
    domains: mail.domains,
    storeFile: mail.attachments.storeContent,
    peer_connections: config.PARLEY_SUBMISSION_PEER_CONNECTIONS,
  });
  return {
    close: listener.close,
    servers: submissionServers(config, listener),
    readiness: config.PARLEY_ROLES.includes('submission') ? [readinessOf(listener)] : [],
  };
}

function submissionServers(config: Config, listener: SubmissionListener): SubmissionServers {
  let server: ReturnType<SubmissionListener['open']> | null = null;
  return {
    async listen() {
      const name = config.PARLEY_MAIL_HOST ?? config.PARLEY_SERVICE_MAIL_DOMAIN;
      server = listener.open({
        host: config.SUBMISSION_HOST ?? config.HOST,
        name,
        tls: mailCertificate(config, name),
        max_bytes: Math.ceil(config.PARLEY_EMAIL_ATTACHMENTS_MAX_BYTES * encoded_share) + text_bytes,
        max_connections: config.PARLEY_SUBMISSION_CONNECTIONS,
        proxies: config.PARLEY_SMTP_PROXY_NETWORKS,
        max_buffered_bytes: buffered_bytes,
        socket_timeout_ms: config.PARLEY_EMAIL_TIMEOUT_SECONDS * 1000 + answer_ms,
      });
      const ports = submissionPorts(config);
      return {
        starttls: await server.listen(ports.starttls, { is_implicit_tls: false }),
        tls: await server.listen(ports.tls, { is_implicit_tls: true }),
      };
    },
    async close(cut) {
      if (server) await untilCut(server.close(), cut);
    },
  };
}

const readinessOf = (listener: SubmissionListener): Readiness => ({
  name: 'submission',
  async check() {
    if (!listener.isListening()) throw new Error('SMTP submission does not listen');
  },
});
