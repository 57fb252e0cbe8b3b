// Check 3: recipients who opted out, complained, bounced permanently or were suppressed by a user.
import { ApiError } from '../../../platform/http/api-error.ts';
import type { Check, Verdict } from '../admission.ts';

const judge = (suppressed: readonly string[]): Verdict =>
  suppressed.length === 0
    ? { outcome: 'allow' }
    : {
        outcome: 'refuse',
        reason: 'not_allowed',
        error: new ApiError('recipient_suppressed', {
          detail: `${suppressed.join(', ')} must not be contacted.`,
          path: 'body.to',
        }),
      };

export const suppressionCheck: Check = {
  name: 'suppression',
  run(_, { origin, suppressed }) {
    // The reply to STOP confirms the opt-out, and goes only to its sender.
    if (origin === 'keyword' || suppressed === undefined) return { outcome: 'skip' };
    return typeof suppressed === 'function' ? suppressed().then(judge) : judge(suppressed);
  },
};
