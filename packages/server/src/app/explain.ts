// Builds the request log, and explain from what the other features store.
import { explainFeature } from '../features/operations/explain/index.ts';
import { requestLogFeature } from '../features/operations/request-log/index.ts';
import type { Core } from './core.ts';
import type { Parts } from './parts.ts';

export const buildRequestLog = (core: Core) =>
  requestLogFeature({
    ...core,
    kept_days: core.config.PARLEY_REQUEST_LOG_DAYS,
    keeps_reads: core.config.PARLEY_REQUEST_LOG_READS === 'on',
    countDropped: core.metrics.counter(
      'parley_request_log_dropped_total',
      'Requests that are missing in the request log: the database did not answer, or too many waited.',
    ),
  });

export const buildExplain = (
  { calls, mail, sms, approvals, webhooks, events, funds }: Parts,
  requests: ReturnType<typeof buildRequestLog>,
) =>
  explainFeature({
    findCall: calls.history,
    findEmail: mail.history,
    findSms: sms.history,
    findApproval: approvals.find,
    findDelivery: webhooks.history.find,
    approvalsOf: approvals.ofObject,
    eventsOf: events.ofResource,
    deliveriesOf: webhooks.history.of,
    chargesOf: funds.service.entriesOf,
    requestsOf: requests.changesOf,
  });
