// The verdict about an object: which code decides, and the explanation of that code.

import type { ExplanationVerdict } from '@parley/contract/operations/explain/explain';
import { type ExplainedSubject, findExplanation } from '@parley/contract/operations/explain/explanations';
import type { Approval } from '@parley/contract/rules/approvals/approvals';
import type { Hold } from '@parley/contract/rules/approvals/hold';
import type { CallHistory } from '../../channels/calls/index.ts';
import type { EmailHistory } from '../../channels/emails/index.ts';
import type { SmsHistory } from '../../channels/sms/index.ts';
import { wordsOf } from './details.ts';
import type { DeliveryHistory } from './sources.ts';

export type StoredDecision = {
  outcome: string;
  checks: { name: string; outcome: string; detail?: string }[];
};

/** Null for a record that admission has not judged yet. */
export function readAdmission(text: string | null): StoredDecision | null {
  if (text === null) return null;
  try {
    const decision = JSON.parse(text) as StoredDecision;
    return Array.isArray(decision.checks) ? decision : null;
  } catch {
    return null;
  }
}

/** The check that stopped a record; null when none did. */
const stopperOf = (admission: string | null) =>
  readAdmission(admission)?.checks.find(({ outcome }) => outcome === 'refuse' || outcome === 'defer') ?? null;

function verdict(subject: ExplainedSubject, code: string, detail: string | null): ExplanationVerdict {
  const found = findExplanation(subject, code);
  if (!found) throw new Error(`${subject} ${code} has no explanation`);
  return { ...found, detail };
}

const waitingVerdict = ({ kind, message }: Hold): ExplanationVerdict => verdict('hold', kind, message);

/** A refusal is explained by its error code, which is more exact than the check; the check is enough where it has none. */
function refusalVerdict(admission: string | null, detail: string | null): ExplanationVerdict | null {
  const stopper = stopperOf(admission);
  if (!stopper) return null;
  const by_check = findExplanation('check', stopper.name);
  if (!by_check) return null;
  const by_code = stopper.detail ? findExplanation('error', stopper.detail) : null;
  const is_plain = by_code === null || by_code.code === 'held';
  // The fix of the check also says what to do with a record that was stored and refused later.
  return { ...by_check, ...(is_plain ? {} : { code: by_code.code, summary: by_code.summary }), detail };
}

/** Not an engine that failed earlier and was replaced: the detail of the ending begins with the layer that ended the call. */
function hasEnded({ layer }: Record<string, unknown>, ending: CallHistory['events'][0] | undefined): boolean {
  if (typeof layer !== 'string' || !ending) return false;
  return layer === ending.detail.layer || String(ending.detail.detail).startsWith(`${layer}: `);
}

/** How the call ended is said too: the code of the verdict does not name it. */
function lostWords(end_reason: string, lost: CallHistory['events']): string {
  const sound_ms = lost.reduce((sum, { detail }) => sum + Number(detail.sound_ms ?? 0), 0);
  const times = lost.length === 1 ? 'once' : `${lost.length} times`;
  return `${Math.round(sound_ms / 1000)} s of speech became no turn (${times}). The call ended with ${end_reason}.`;
}

const engine_failures = ['setup_error', 'media_failure'];

export function callVerdict(call: CallHistory): ExplanationVerdict {
  if (call.hold) return waitingVerdict(call.hold);
  if (call.end_reason === null) return verdict('call', call.status, null);
  const ending = call.events.find(({ detail }) => detail.end_reason === call.end_reason);
  const detail = ending ? wordsOf(ending.detail) : null;
  if (call.end_reason === 'not_allowed') {
    const refused = refusalVerdict(call.admission, detail);
    // The kill switch ends a call that it held for too long, although the rules had allowed it before.
    const by_check = findExplanation('check', String(ending?.detail.check));
    if (refused ?? by_check) return refused ?? { ...by_check!, detail };
  }
  if (engine_failures.includes(call.end_reason)) {
    const broken = call.events.find((each) => hasEnded(each.detail, ending));
    const explanation = broken && findExplanation('engine', String(broken.detail.layer));
    if (explanation)
      return { ...explanation, code: call.end_reason, detail: wordsOf(broken.detail) ?? detail };
  }
  const lost = call.events.filter(({ kind }) => kind === 'not_understood');
  if (lost.length > 0 && !engine_failures.includes(call.end_reason) && call.end_reason !== 'not_understood')
    return verdict('call', 'speech_lost', lostWords(call.end_reason, lost));
  if (call.end_reason === 'voicemail' && call.events.some(({ kind }) => kind === 'message_left'))
    return verdict('call', 'message_left', null);
  return verdict('call', call.end_reason, detail);
}

const delivered_outcomes = ['delivered', 'opened', 'clicked'];

/** A relay that accepted the email, which counts as delivered, may report later that a recipient must wait. */
function isDelayed(newest_first: EmailHistory['events']): boolean {
  const delayed = new Set<unknown>();
  for (const { kind, detail } of newest_first.toReversed()) {
    const recipients = Array.isArray(detail.recipients) ? detail.recipients : [];
    if (kind === 'delivery_delayed') for (const each of recipients) delayed.add(each);
    else if (kind === 'delivered' || kind === 'bounced') for (const each of recipients) delayed.delete(each);
  }
  return delayed.size > 0;
}

export function emailVerdict(email: EmailHistory): ExplanationVerdict {
  if (email.hold) return waitingVerdict(email.hold);
  const { end_reason, status, last_outcome } = email;
  const failures = ['send_failed', 'bounced', 'complained', 'delivery_delayed'];
  const failure = email.events.find(({ kind }) => failures.includes(kind));
  const detail = failure ? wordsOf(failure.detail) : null;
  if (end_reason === 'not_allowed') {
    const refused = refusalVerdict(email.admission, detail);
    if (refused) return refused;
  }
  if (end_reason !== null) return verdict('email', end_reason, detail);
  if (status === 'sent' && last_outcome === 'bounced') return verdict('email', 'soft_bounce', detail);
  if (status === 'sent' && isDelayed(email.events)) return verdict('email', 'delivery_delayed', detail);
  if (status === 'sent' && delivered_outcomes.includes(last_outcome ?? ''))
    return verdict('email', 'delivered', null);
  return verdict('email', status, status === 'complained' ? detail : null);
}

export function smsVerdict(sms: SmsHistory): ExplanationVerdict {
  if (sms.hold) return waitingVerdict(sms.hold);
  const { error_code, status } = sms;
  if (error_code === null) return verdict('sms', status, null);
  const last = sms.attempts.at(-1);
  const words = last?.detail ?? last?.provider_code ?? null;
  if (error_code === 'not_allowed') {
    const refused = refusalVerdict(sms.admission, null);
    if (refused) return refused;
  }
  return verdict('sms', error_code, words);
}

/** A delivery that waits for its next attempt is repeated by itself. */
export function deliveryVerdict(delivery: DeliveryHistory): ExplanationVerdict {
  const last = delivery.attempts.at(-1);
  if (delivery.status === 'delivered' || !last?.error)
    return verdict('webhook_delivery', delivery.status, null);
  const detail = last.status_code === null ? null : `The last response had the status ${last.status_code}.`;
  const explanation = verdict('webhook_delivery', last.error, detail);
  const is_repeated = delivery.status === 'pending' && delivery.subscription_status === 'active';
  return is_repeated ? { ...explanation, retry: 'later' } : explanation;
}

export const approvalVerdict = ({ status, note, reasons }: Approval): ExplanationVerdict =>
  verdict('approval', status, status === 'pending' ? (reasons[0]?.message ?? null) : note);
