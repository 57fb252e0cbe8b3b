// Builds the wing operations: events and webhooks, what people ask about the past, deletion, and pages for operators.
import { consoleFeature } from '../features/operations/console/index.ts';
import { erasureFeature } from '../features/operations/erasures/index.ts';
import { eventFeature } from '../features/operations/events/index.ts';
import { type ExplainSources, explainFeature } from '../features/operations/explain/index.ts';
import { goLiveFeature, serviceFacts } from '../features/operations/go-live/index.ts';
import { referenceFeature } from '../features/operations/reference/index.ts';
import { requestLogFeature } from '../features/operations/request-log/index.ts';
import { retentionFeature, servicePeriods } from '../features/operations/retention/index.ts';
import { sandboxOutboxFeature } from '../features/operations/sandbox-outbox/index.ts';
import { setAsideWorkFeature } from '../features/operations/set-aside-work/index.ts';
import { webhookFeature } from '../features/operations/webhooks/index.ts';
import type { Access } from './access.ts';
import type { Agents } from './agents.ts';
import type { Channels } from './channels.ts';
import type { Inbox } from './inbox.ts';
import { personal_data } from './personal-data.ts';
import type { Rules } from './rules.ts';
import type { Service } from './service.ts';
import type { Stores } from './vendors.ts';

type Needs = Access & Rules & Agents & Channels & Inbox & Stores;

export function operationsWing(on: Service, needs: Needs) {
  const { config, options } = on;
  const { mail, sms, calls, storage } = needs;
  const audited = { ...on, audit: needs.audit.log, storage, personal_data };
  const webhooks = webhookFeature({
    ...on,
    countAttempt: on.metrics.countAttempt,
    private_targets: config.WEBHOOK_PRIVATE_TARGETS,
    timeout_ms: config.WEBHOOK_TIMEOUT_SECONDS * 1000,
    hasEmailDomain: mail.domains.has,
    ...(options.webhook_network ? { network: options.webhook_network } : {}),
    ...options.webhook_limits,
  });
  const events = eventFeature({
    ...on,
    heartbeat_ms: config.PARLEY_STREAM_HEARTBEAT_SECONDS * 1000,
    kept_days: config.PARLEY_EVENTS_KEPT_DAYS,
    deleteDeliveriesBefore: webhooks.deleteDeliveriesBefore,
  });
  const request_log = requestLogFeature({
    ...on,
    kept_days: config.PARLEY_REQUEST_LOG_DAYS,
    keeps_reads: config.PARLEY_REQUEST_LOG_READS === 'on',
    countDropped: on.metrics.counter(
      'parley_request_log_dropped_total',
      'Requests that are missing in the request log: the database did not answer, or too many waited.',
    ),
  });
  return {
    webhooks,
    events,
    request_log,
    sandbox_outbox: sandboxOutboxFeature({
      ...on,
      is_on: config.sandbox,
      sources: [
        { channel: 'sms', page: sms.sandboxOutbox },
        { channel: 'call', page: calls.sandboxOutbox },
        { channel: 'email', page: mail.sandboxOutbox },
      ],
    }),
    erasures: erasureFeature({
      ...audited,
      revocations: needs.consents.revocations,
      waiting: { ...mail.waiting_records, ...sms.waiting_records, ...calls.waiting_records },
      project: needs.projector.drainDue,
    }),
    retention: retentionFeature({
      ...audited,
      periods: servicePeriods({
        max_days: config.PARLEY_RETENTION_MAX_DAYS,
        events_days: config.PARLEY_EVENTS_KEPT_DAYS,
        quarantine_days: config.PARLEY_QUARANTINE_DAYS,
        requests_days: config.PARLEY_REQUEST_LOG_DAYS,
      }),
    }),
    set_aside_work: setAsideWorkFeature({ ...audited, webhooks, projector: needs.projector }),
    explain: explainFeature(explainSources(needs, { webhooks, events, request_log })),
    go_live: goLive(on, needs),
    reference: referenceFeature(on),
    web_console: consoleFeature({
      ...on,
      shared_key: options.shared_key,
      objects_url:
        config.PARLEY_STORAGE === 's3'
          ? (config.PARLEY_S3_PUBLIC_ENDPOINT ?? config.PARLEY_S3_ENDPOINT)
          : null,
    }),
  };
}
export type Operations = ReturnType<typeof operationsWing>;

const explainSources = (needs: Needs, { webhooks, events, request_log }: ExplainNeeds): ExplainSources => ({
  findCall: needs.calls.history,
  findEmail: needs.mail.history,
  findSms: needs.sms.history,
  findApproval: needs.approvals.find,
  findDelivery: webhooks.history.find,
  approvalsOf: needs.approvals.ofObject,
  eventsOf: events.ofResource,
  deliveriesOf: webhooks.history.of,
  chargesOf: needs.funds.service.entriesOf,
  requestsOf: request_log.changesOf,
});

type ExplainNeeds = {
  webhooks: ReturnType<typeof webhookFeature>;
  events: ReturnType<typeof eventFeature>;
  request_log: ReturnType<typeof requestLogFeature>;
};

const goLive = (on: Service, { mail, phones, transport }: Needs) =>
  goLiveFeature({
    db: on.db,
    dnsNow: mail.domains.dnsNow,
    facts: serviceFacts({
      ...on,
      carrier: phones.carriers.active,
      carrier_check: phones.carrier_check,
      transport,
      mail_check: mail.readiness[0]!,
    }),
  });
