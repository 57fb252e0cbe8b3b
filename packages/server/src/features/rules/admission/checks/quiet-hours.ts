// Check 5: the time of day where the recipient is. Applies to calls and texts; what answers the person at once is exempt.
import { default_purpose, type Hold } from '@parley/contract/rules/approvals/hold';
import type { Clock } from '../../../../platform/clock.ts';
import { ApiError } from '../../../../platform/http/api-error.ts';
import type { HoursVerdict, QuietHoursJudge } from '../../quiet-hours/index.ts';
import type { AdmissionRequest, Check, Stage, Verdict } from '../admission.ts';
import { exempt_origins } from '../exempt-origins.ts';

const skip: Verdict = { outcome: 'skip' };

/** When it would be sent: a new record at the requested time. */
const sendingTime = ({ scheduled_at }: AdmissionRequest, clock: Clock): number =>
  scheduled_at ? Date.parse(scheduled_at) : clock.ms();

export function judgeHours(judge: QuietHoursJudge, request: AdmissionRequest, clock: Clock) {
  const { organization_id, channel, recipients, origin } = request;
  if (organization_id === null || channel === 'emails' || exempt_origins.has(origin)) return null;
  const purpose = request.purpose ?? request.terms?.purpose ?? default_purpose;
  return judge({ organization_id, channel, recipients, purpose, at_ms: sendingTime(request, clock) });
}

export const quietHoursCheck = (judge: QuietHoursJudge, clock: Clock): Check => ({
  name: 'quiet_hours',
  run(stage, request) {
    const verdict = judgeHours(judge, request, clock);
    if (verdict === null) return skip;
    return verdict instanceof Promise
      ? verdict.then((now) => decide(stage, request, now))
      : decide(stage, request, verdict);
  },
});

function decide(stage: Stage, { scheduled_at }: AdmissionRequest, verdict: HoursVerdict | null): Verdict {
  if (verdict === null) return skip;
  if (verdict.is_allowed) return { outcome: 'allow', detail: verdict.detail };
  const { on_violation, next_at, message } = verdict;
  if (on_violation === 'refuse' || next_at === null) {
    const detail = next_at === null ? message : `${message} The next such moment is ${next_at}.`;
    return { outcome: 'refuse', reason: 'not_allowed', error: new ApiError('quiet_hours', { detail }) };
  }
  // It waits for its own time first; the hand-over then decides by the rules that are in force.
  if (stage === 'create' && scheduled_at)
    return { outcome: 'allow', detail: 'outside the window at scheduled_at' };
  const hold: Hold = { kind: 'quiet_hours', until: next_at, approval_id: null, message };
  return { outcome: 'hold', hold };
}
