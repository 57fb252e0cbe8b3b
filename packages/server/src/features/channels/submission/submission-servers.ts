// Builds SMTP submission, and the two servers that a process with the role submission opens.

import type { Core } from '../../../app/core.ts';
import type { SubmissionServers } from '../../../app/interface.ts';
import type { Parts } from '../../../app/parts.ts';
import { submissionPorts } from '../../../config/submission.ts';
import { untilCut } from '../../../platform/drain.ts';
import { recognize } from '../../../platform/http/authenticate.ts';
import type { Authenticator } from '../../../platform/http/context.ts';
import type { OpenHolds } from '../../../platform/http/holds.ts';
import type { Readiness } from '../../operations/status/index.ts';
import { mailCertificate } from '../mail/index.ts';
import { type SubmissionFeature, submissionFeature } from './index.ts';

const buffered_bytes = 512 * 1024 * 1024;
/** For the texts of a message, and the encoding of its files. */
const text_bytes = 3 * 1024 * 1024;
const encoded_share = 1.4;
const answer_ms = 30_000;

export function buildSubmission(
  core: Core,
  { mail }: Parts,
  { authenticators, holds }: { authenticators: readonly Authenticator[]; holds: OpenHolds },
) {
  const { config } = core;
  const feature = submissionFeature({
    ...core,
    limiter: core.request_limits,
    holds,
    recognize: (bearer) => recognize(authenticators, bearer),
    emails: mail.requests,
    domains: mail.domains,
    storeFile: mail.attachments.storeContent,
    peer_connections: config.PARLEY_SUBMISSION_PEER_CONNECTIONS,
  });
  return {
    feature: { close: feature.close },
    servers: submissionServers(core, feature),
    readiness: readinessOf(core, feature),
  };
}

function submissionServers({ config }: Core, feature: SubmissionFeature): SubmissionServers {
  let server: ReturnType<SubmissionFeature['open']> | null = null;
  return {
    async listen() {
      const name = config.PARLEY_MAIL_HOST ?? config.PARLEY_SERVICE_MAIL_DOMAIN;
      server = feature.open({
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

const readinessOf = ({ config }: Core, feature: SubmissionFeature): Readiness[] =>
  config.PARLEY_ROLES.includes('submission')
    ? [
        {
          name: 'submission',
          async check() {
            if (!feature.isListening()) throw new Error('SMTP submission does not listen');
          },
        },
      ]
    : [];
