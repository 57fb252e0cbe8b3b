// What a call would do, as a person is shown it for approval. An approval is valid for exactly this.
import type { Call } from '@parley/contract/channels/calls/call-records';
import type { AdmissionRequest, Payload } from '../../../rules/admission/index.ts';
import { storedPlan } from '../conversation/speak/speech-plan.ts';
import type { NewCall } from '../new-call-store.ts';

/** `from` is null for a call that gets a number of the pool. */
export type PayloadFields = Pick<Call, 'id' | 'from' | 'to' | 'scheduled_at'> &
  Pick<NewCall, 'plan' | 'ring_timeout_seconds' | 'is_recorded'>;

export function payloadOf(call: PayloadFields): Payload {
  const { plan, ring_timeout_seconds, is_recorded } = call;
  // Fields with their default are left out, so that approvals of earlier releases, which had none of them, stay valid.
  const { system_prompt, ...others } = storedPlan(plan);
  return {
    from: call.from,
    to: [call.to],
    cc: [],
    bcc: [],
    subject: null,
    body_text: system_prompt,
    body_html: null,
    attachments: [],
    more: { ...others, ring_timeout_seconds, is_recorded },
    scheduled_at: call.scheduled_at,
  };
}

export const chargeAndPayload = (
  call: PayloadFields,
): Pick<AdmissionRequest, 'charge' | 'record' | 'payload' | 'has_own_llm'> => ({
  charge: { item: 'call_minute', quantity: 1, reference: call.id },
  record: { noun: 'call', id: call.id },
  payload: () => payloadOf(call),
  has_own_llm:
    call.plan.brain !== null ||
    (call.plan.engines?.llm ?? null) !== null ||
    (call.plan.engines?.relay ?? null) !== null,
});

/** The request for the hand-over of an outbound call, without its terms. */
export const callRequest = (
  call: PayloadFields & { organization_id: string; provider: string | null },
): AdmissionRequest => ({
  organization_id: call.organization_id,
  channel: 'calls',
  origin: 'api',
  recipients: [call.to],
  provider: call.provider,
  consent: 'warranted',
  ...chargeAndPayload(call),
});
