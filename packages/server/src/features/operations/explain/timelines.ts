// The steps of each kind of object as entries of one timeline.

import type { CallEventKind } from '@parley/contract/channels/calls/call-records';
import type { ExplanationEntry } from '@parley/contract/operations/explain/explain';
import type { LoggedRequest } from '@parley/contract/operations/request-log';
import type { Approval } from '@parley/contract/rules/approvals/approvals';
import type { LedgerEntry } from '@parley/contract/rules/spending/funds';
import type { CallHistory } from '../../channels/calls/index.ts';
import type { EmailHistory } from '../../channels/emails/index.ts';
import type { SmsHistory } from '../../channels/sms/index.ts';
import { shownDetail } from './details.ts';
import type { DeliveryHistory } from './sources.ts';
import { readAdmission } from './verdicts.ts';

type Layer = ExplanationEntry['layer'];
type Entries = ExplanationEntry[];

const entry = (
  at: string,
  layer: Layer,
  what: string,
  detail: Record<string, unknown> = {},
): ExplanationEntry => ({ at, layer, what, detail });

const guard_words: Record<string, string> = {
  allow: 'allowed',
  hold: 'held',
  defer: 'deferred',
  refuse: 'refused',
};

/** The last decision of admission. Checks that do not apply are left out. */
function admissionEntry(admission: string | null, at: string): Entries {
  const decision = readAdmission(admission);
  if (!decision) return [];
  const checks = decision.checks.filter(({ outcome }) => outcome !== 'skip');
  return [entry(at, 'guard', guard_words[decision.outcome] ?? decision.outcome, { checks })];
}

const carrier_kinds = new Set<CallEventKind>([
  'dialed',
  'placed',
  'rang',
  'answered',
  'answered_by',
  'hung_up',
  'declined',
  'rang_out',
  'broke',
  'canceled',
]);
const guard_kinds = new Set<string>(['held', 'released', 'requeued']);
const engine_kinds = new Set<CallEventKind>([
  'preparing',
  'not_understood',
  'went_wrong',
  'tool_called',
  'tool_answered',
  'tool_failed',
  'relay_ended',
  'message_left',
]);

function layerOfCallEvent(kind: CallEventKind): Layer {
  if (carrier_kinds.has(kind)) return 'carrier';
  if (guard_kinds.has(kind)) return 'guard';
  if (engine_kinds.has(kind)) return 'provider';
  return kind === 'interrupted' ? 'speech' : 'record';
}

export function callTimeline(call: CallHistory): Entries {
  const { answered_at } = call;
  const answered_ms = answered_at === null ? null : Date.parse(answered_at);
  return [
    ...admissionEntry(call.admission, call.started_at ?? call.ended_at ?? call.requested_at),
    ...call.events.map(({ kind, occurred_at, detail }) =>
      entry(occurred_at, layerOfCallEvent(kind), kind, shownDetail(detail)),
    ),
    ...(answered_ms === null
      ? []
      : call.timings.map(({ started_ms, timings }) =>
          entry(new Date(answered_ms + started_ms).toISOString(), 'speech', 'turn', { ...timings }),
        )),
  ];
}

/** Visits have no details: they are about the person who reads. */
const visit_kinds = new Set(['opened', 'clicked', 'unsubscribed']);

export function emailTimeline(email: EmailHistory): Entries {
  const { direction, requested_at, provider } = email;
  const decided_at = email.sent_at ?? email.failed_at ?? requested_at;
  return [
    ...(direction === 'outbound' ? [entry(requested_at, 'record', 'created')] : []),
    ...admissionEntry(email.admission, decided_at),
    ...email.events.map(({ kind, occurred_at, detail }) =>
      entry(occurred_at, guard_kinds.has(kind) ? 'guard' : 'provider', kind, {
        ...(visit_kinds.has(kind) ? {} : shownDetail(detail)),
        ...(kind === 'send_failed' && provider ? { provider } : {}),
      }),
    ),
  ];
}

export function smsTimeline(sms: SmsHistory): Entries {
  const { provider, requested_at } = sms;
  const created = sms.direction === 'inbound' ? 'received' : 'created';
  const decided_at = sms.handed_at ?? sms.sent_at ?? sms.failed_at ?? requested_at;
  // A failure with an entry of its own is not shown twice.
  const has_failure = sms.attempts.some(({ at }) => at === sms.failed_at);
  return [
    entry(requested_at, 'record', created),
    ...(sms.released_at === null ? [] : [entry(sms.released_at, 'guard', 'released')]),
    ...admissionEntry(sms.admission, decided_at),
    ...sms.attempts.map(({ at, step, outcome, ...more }) =>
      entry(at, step === 'report' ? 'carrier' : 'provider', outcome, {
        step,
        provider,
        ...shownDetail(more),
      }),
    ),
    ...(sms.sent_at === null
      ? []
      : [entry(sms.sent_at, 'provider', 'accepted', { provider, id: sms.provider_message_id })]),
    ...(sms.delivered_at === null ? [] : [entry(sms.delivered_at, 'carrier', 'delivered')]),
    ...(sms.failed_at === null || has_failure
      ? []
      : [entry(sms.failed_at, 'record', sms.status, { error_code: sms.error_code })]),
  ];
}

/** Neither the URL nor the response is shown: a URL may contain a secret. The delivery itself has both. */
export const deliveryTimeline = (delivery: DeliveryHistory): Entries =>
  delivery.attempts.map(({ attempted_at, status_code, duration_ms, error }) =>
    entry(attempted_at, 'webhook', error === null ? 'delivered' : 'failed', {
      event_type: delivery.event_type,
      delivery_id: delivery.id,
      subscription_id: delivery.subscription_id,
      status_code,
      duration_ms,
      ...(error === null ? {} : { error }),
    }),
  );

/** Who decided is not shown: the approval says it to those who may read it. */
export const approvalTimeline = (approval: Approval): Entries => [
  entry(approval.requested_at, 'approval', 'requested', {
    approval_id: approval.id,
    rule: approval.rule,
    reasons: approval.reasons.map(({ code }) => code),
    expires_at: approval.expires_at,
  }),
  ...(approval.decided_at === null
    ? []
    : [
        entry(approval.decided_at, 'approval', approval.status, {
          approval_id: approval.id,
          ...(approval.decided_via ? { via: approval.decided_via } : {}),
        }),
      ]),
];

export const requestEntries = (requests: readonly LoggedRequest[]): Entries =>
  requests.map(({ at, request_id, operation, status, code, credential_id, duration_ms }) =>
    entry(at, 'api', 'request', {
      request_id,
      operation,
      status,
      ...(code === null ? {} : { code }),
      credential_id,
      duration_ms,
    }),
  );

export const chargeEntries = (charges: readonly LedgerEntry[]): Entries =>
  charges.map(({ created_at, kind, item, quantity, amount_micros, id }) =>
    entry(created_at, 'funds', kind, { item, quantity, amount_micros, ledger_entry_id: id }),
  );
