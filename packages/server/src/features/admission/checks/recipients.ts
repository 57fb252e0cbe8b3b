// Check 6: new recipients per day, and messages per person and day. Counted at create; what was held then, at the hand-over.
import { ApiError } from '../../../platform/http/api-error.ts';
import type { RecipientLimiter } from '../../recipient-limits/index.ts';
import { contactRulesOf, type SendingRules, type SendingRulesFeature } from '../../sending-rules/index.ts';
import type { AdmissionRequest, Check, Reserved, Stage, Verdict } from '../admission.ts';
import { exempt_origins } from '../exempt-origins.ts';

const skip: Verdict = { outcome: 'skip' };

export const recipientsCheck = (
  limiter: RecipientLimiter,
  rules: Pick<SendingRulesFeature, 'of'>,
): Check => ({
  name: 'recipients',
  run(stage, request) {
    const { organization_id, origin } = request;
    if (organization_id === null || exempt_origins.has(origin) || !isCountedNow(stage, request)) return skip;
    const found = rules.of(organization_id);
    return found instanceof Promise
      ? found.then((now) => judge(limiter, request, now))
      : judge(limiter, request, found);
  },
});

const isCountedNow = (stage: Stage, { is_dry_run, terms }: AdmissionRequest): boolean =>
  stage === 'create' ? !is_dry_run : (terms?.is_counted_at_hand_over ?? false);

function judge(limiter: RecipientLimiter, request: AdmissionRequest, rules: SendingRules): Verdict {
  if (rules.contact_rules === null) return skip;
  const limits = contactRulesOf(rules);
  if (limits.new_recipients_per_day === null && limits.messages_per_person_per_day === null) return skip;
  const { channel, recipients } = request;
  const counting = { organization_id: request.organization_id!, channel, recipients };
  return {
    outcome: 'allow',
    async reserve(): Promise<Reserved> {
      try {
        const counted = await limiter.count(counting, limits);
        return { outcome: 'reserved', undo: () => limiter.uncount(counting, counted) };
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        return { outcome: 'refuse', reason: 'not_allowed', error };
      }
    },
  };
}
