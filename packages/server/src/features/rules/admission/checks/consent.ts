// Check 4: why the recipient may be contacted. Request validation refuses requests without recipient_consent. Where the
// organization asks for recorded consents, an active one must exist at create and still at the hand-over.
import { default_purpose } from '@parley/contract/rules/approvals/hold';
import { ApiError } from '../../../../platform/http/api-error.ts';
import { type ConsentGate, consentChannelOf, recipientKey } from '../../consents/index.ts';
import type { AdmissionRequest, Check, Verdict } from '../admission.ts';
import { exempt_origins } from '../exempt-origins.ts';

type Gate = Pick<ConsentGate, 'needsRecord' | 'find' | 'condition'>;

const allowed: Verdict = { outcome: 'allow' };

export const consentCheck = (gate: Gate): Check => ({
  name: 'consent',
  run(_, request) {
    const { consent, consent_by, organization_id, origin } = request;
    if (consent === 'service') return { outcome: 'skip' };
    if (organization_id === null || exempt_origins.has(origin)) return allowed;
    const warranted: Verdict = consent_by
      ? { outcome: 'allow', detail: `confirmed by ${consent_by}` }
      : allowed;
    const judgeIf = (is_needed: boolean) => (is_needed ? judge(gate, organization_id, request) : warranted);
    const is_needed = gate.needsRecord(organization_id);
    return is_needed instanceof Promise ? is_needed.then(judgeIf) : judgeIf(is_needed);
  },
});

function judge(gate: Gate, organization_id: string, request: AdmissionRequest): Verdict | Promise<Verdict> {
  const { channel, recipients, purpose: asked, terms } = request;
  const purpose = asked ?? terms?.purpose ?? default_purpose;
  const of = { organization_id, channel: consentChannelOf(channel), purpose };
  const [recipient, ...others] = recipients;
  if (!request.tests_conditions || !recipient || others.length > 0) return lookUp(gate, request, of);
  return { outcome: 'allow', condition: gate.condition({ ...of, recipient_key: recipientKey(recipient) }) };
}

async function lookUp(
  gate: Gate,
  { channel, recipients }: AdmissionRequest,
  of: Omit<Parameters<Gate['condition']>[0], 'recipient_key'>,
): Promise<Verdict> {
  const verdicts = await Promise.all(
    recipients.map((each) => gate.find({ ...of, recipient_key: recipientKey(each) }, each)),
  );
  const missing = recipients.filter((_, index) => verdicts[index] === null);
  if (missing.length === 0) return { outcome: 'allow', detail: [...new Set(verdicts)].join(', ') };
  return {
    outcome: 'refuse',
    reason: 'not_allowed',
    error: new ApiError('consent_not_recorded', {
      detail: `No active consent of ${missing.join(', ')} for ${of.purpose} ${channel} is recorded.`,
      path: 'body.to',
    }),
  };
}
