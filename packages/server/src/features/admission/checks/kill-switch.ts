// Check 1: the operator stopped the channel for everybody. What is queued waits.
import { ApiError } from '../../../platform/http/api-error.ts';
import type { ChannelLimits } from '../../limits/index.ts';
import type { Check, Verdict } from '../admission.ts';

const stopped_retry_seconds = 60;
/** How soon a queued record asks again. */
const held_retry_seconds = 30;

const allow: Verdict = { outcome: 'allow' };
const stopped = (): Verdict => ({
  outcome: 'defer',
  retry_after_seconds: held_retry_seconds,
  error: new ApiError('kill_switch', { retry_after_seconds: stopped_retry_seconds }),
});

export const killSwitchCheck = (limits: Pick<ChannelLimits, 'isStopped'>): Check => ({
  name: 'kill_switch',
  ask(_, { channel }) {
    const is_stopped = limits.isStopped(channel);
    if (is_stopped instanceof Promise) return is_stopped.then((is) => (is ? stopped() : allow));
    return is_stopped ? stopped() : allow;
  },
});
