// The listener of SMTP submission: counts its connections and replies, and submits what mail programs send.
import { failedCredentials } from '../../../platform/http/failed-credentials.ts';
import type { Metrics } from '../../../platform/metrics.ts';
import type { EmailDomainService } from '../email-domains/index.ts';
import { peerLimits } from '../emails/index.ts';
import { submissionParser } from './parse.ts';
import { type ServerDeps, type SubmissionSettings, submissionServer } from './server.ts';
import { type SubmitDeps, submit } from './submit.ts';

export type { SubmissionSettings } from './server.ts';

const wrong_keys = 20;
const wrong_keys_window_ms = 600_000;

export type SubmissionDeps = Omit<SubmitDeps, 'parse'> &
  Pick<ServerDeps, 'log' | 'limiter' | 'recognize' | 'holds'> & {
    metrics: Pick<Metrics, 'gauge' | 'counter'>;
    domains: Pick<EmailDomainService, 'sender'>;
    peer_connections: number;
  };

export function submissionListener(deps: SubmissionDeps) {
  const parser = submissionParser();
  const count = countReplies(deps.metrics);
  let server: ReturnType<typeof submissionServer> | null = null;
  deps.metrics.gauge({
    name: 'parley_submission_connections',
    help: 'Connections of mail programs to SMTP submission.',
    read: () => [{ labels: {}, value: server?.connectionCount() ?? 0 }],
  });
  return {
    open(settings: SubmissionSettings) {
      server = submissionServer(
        {
          ...deps,
          count,
          peers: peerLimits({ connections: deps.peer_connections, messages_per_minute: Infinity }),
          failures: failedCredentials({ limit_per_minute: wrong_keys, window_ms: wrong_keys_window_ms }),
          isSender: async (organization_id, address) =>
            typeof (await deps.domains.sender(organization_id, { address })) !== 'string',
          submit: (submission) => submit({ ...deps, parse: parser.parse }, submission),
        },
        settings,
      );
      return server;
    },
    isListening: () => server?.isListening() ?? false,
    close: () => parser.close(),
  };
}
export type SubmissionListener = ReturnType<typeof submissionListener>;

function countReplies(metrics: Pick<Metrics, 'counter'>): (code: number) => void {
  const accepted = metrics.counter('parley_submission_accepted_total', 'Submitted messages that got 250.');
  const deferred = metrics.counter(
    'parley_submission_deferred_total',
    'Submitted messages that got a temporary refusal (4xx).',
  );
  const refused = metrics.counter(
    'parley_submission_refused_total',
    'Submitted messages that got a final refusal (5xx).',
  );
  return (code) => (code < 300 ? accepted() : code < 500 ? deferred() : refused());
}
