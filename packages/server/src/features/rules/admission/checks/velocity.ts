// Check 7: the organization's cap per hour. Each record is counted once: forwards at hand-over, all others at create.
import { ApiError } from '../../../../platform/http/api-error.ts';
import type { ChannelLimits } from '../../limits/index.ts';
import type { AdmissionRequest, Check, Stage, Verdict } from '../admission.ts';

const capped = (error: ApiError): Verdict => ({ outcome: 'refuse', reason: 'not_allowed', error });

export function velocityCheck(limits: Pick<ChannelLimits, 'capOf' | 'count' | 'fullError'>): Check {
  const judge = (
    stage: Stage,
    { organization_id, channel, origin, is_dry_run }: AdmissionRequest,
    cap: number | null,
  ): Verdict | Promise<Verdict> => {
    if (cap === null) return { outcome: 'skip' };
    if (stage === 'hand_over' && cap === 0) {
      return capped(new ApiError('velocity_capped', { detail: `The organization may send no ${channel}.` }));
    }
    if (is_dry_run) {
      return limits
        .fullError(organization_id!, channel, cap)
        .then((error) => (error ? capped(error) : { outcome: 'allow' }));
    }
    const counts_now = stage === (origin === 'forward' ? 'hand_over' : 'create');
    if (!counts_now || origin === 'inbound_call') return { outcome: 'allow' };
    return { outcome: 'allow', commit: (tx) => limits.count(tx, organization_id!, channel, cap) };
  };

  return {
    name: 'velocity',
    run(stage, request) {
      const { organization_id, channel, origin } = request;
      if (organization_id === null || origin === 'keyword') return { outcome: 'skip' };
      const cap = limits.capOf(organization_id, channel);
      return cap instanceof Promise
        ? cap.then((now) => judge(stage, request, now))
        : judge(stage, request, cap);
    },
  };
}
