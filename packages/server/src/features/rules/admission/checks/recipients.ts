// Check 6: new recipients per day, and messages per person and day. Counted at create; what was held then, at the hand-over,
// where a limit that is reached defers it to the next day.
import type { Hold } from '@parley/contract/rules/approvals/hold';
import type { Clock } from '../../../../platform/clock.ts';
import type { Transaction } from '../../../../platform/db/database.ts';
import { ApiError } from '../../../../platform/http/api-error.ts';
import type { Counted, RecipientLimiter } from '../../recipient-limits/index.ts';
import { contactRulesOf, type SendingRules, type SendingRulesFeature } from '../../sending-rules/index.ts';
import type { AdmissionRequest, Check, Stage, Verdict } from '../admission.ts';
import { exempt_origins } from '../exempt-origins.ts';
import { WaitsAtCommit } from '../holds/refused-at-commit.ts';
import { default_terms } from '../terms.ts';

const skip: Verdict = { outcome: 'skip' };
/** A record that was deferred does not wait longer for the limits. */
const max_wait_ms = 86_400_000;

export const recipientsCheck = (
  limiter: RecipientLimiter,
  rules: Pick<SendingRulesFeature, 'of'>,
  clock: Clock,
): Check => ({
  name: 'recipients',
  run(stage, request) {
    const { organization_id, origin } = request;
    if (organization_id === null || exempt_origins.has(origin) || !isCountedNow(stage, request)) return skip;
    const current_rules = rules.of(organization_id);
    return current_rules instanceof Promise
      ? current_rules.then((now) => judge({ limiter, clock, stage }, request, now))
      : judge({ limiter, clock, stage }, request, current_rules);
  },
});

function isCountedNow(stage: Stage, request: AdmissionRequest): boolean {
  if (stage === 'create') return !request.is_dry_run;
  const { was_counted, is_counted_later, terms } = request;
  return !was_counted && !is_counted_later && (terms?.is_counted_at_hand_over ?? false);
}

type JudgeDeps = { limiter: RecipientLimiter; clock: Clock; stage: Stage };

function judge(
  { limiter, clock, stage }: JudgeDeps,
  request: AdmissionRequest,
  rules: SendingRules,
): Verdict {
  if (rules.contact_rules === null) return skip;
  const limits = contactRulesOf(rules);
  if (limits.new_recipients_per_day === null && limits.messages_per_person_per_day === null) return skip;
  const { channel, recipients } = request;
  const counting = { organization_id: request.organization_id!, channel, recipients };
  if (stage === 'hand_over')
    return {
      outcome: 'allow',
      async commit(tx) {
        await limiter.count(tx, counting, limits).catch((error) => {
          throw error instanceof ApiError ? deferred(request, error, clock) : error;
        });
      },
    };
  let use: Counted | null = null;
  return {
    outcome: 'allow',
    async commit_unless_held(tx) {
      use = await limiter.count(tx, counting, limits);
    },
    async giveBack(tx: Transaction) {
      if (use) await limiter.uncount(tx, counting, use);
    },
  };
}

/** The same error when it would wait for more than a day in all. */
function deferred({ terms }: AdmissionRequest, error: ApiError, clock: Clock): ApiError {
  const now_ms = clock.ms();
  const limited_since = terms?.limited_since ?? new Date(now_ms).toISOString();
  const until_ms = now_ms + (error.options.retry_after_seconds ?? 0) * 1000;
  if (until_ms - Date.parse(limited_since) > max_wait_ms) return error;
  const hold: Hold = {
    kind: 'recipient_limit',
    until: new Date(until_ms).toISOString(),
    approval_id: null,
    message: error.message,
  };
  return new WaitsAtCommit(error, { hold, terms: { ...default_terms, ...terms, limited_since } });
}
