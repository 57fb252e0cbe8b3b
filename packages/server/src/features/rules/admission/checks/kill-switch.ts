// Check 1: the operator stopped the channel for all organizations. Queued records wait.
import { ApiError } from '../../../../platform/http/api-error.ts';
import type { ChannelLimits } from '../../limits/index.ts';
import type { Check, Verdict } from '../admission.ts';

const stopped_retry_seconds = 60;
/** When a queued record is tried again. */
const queued_retry_seconds = 30;

const allow: Verdict = { outcome: 'allow' };
const stopped = (): Verdict => ({
  outcome: 'defer',
  retry_after_seconds: queued_retry_seconds,
  error: new ApiError('kill_switch', { retry_after_seconds: stopped_retry_seconds }),
});

export const killSwitchCheck = (limits: Pick<ChannelLimits, 'isStopped'>): Check => ({
  name: 'kill_switch',
  run(_, { channel }) {
    const is_stopped = limits.isStopped(channel);
    if (is_stopped instanceof Promise) return is_stopped.then((now) => (now ? stopped() : allow));
    return is_stopped ? stopped() : allow;
  },
});
