// Check 3: recipients who opted out, complained, bounced for good or were suppressed by hand.
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
  ask(_, { origin, suppressed }) {
    // The answer to STOP confirms it, and goes to nobody else.
    if (origin === 'keyword' || suppressed === undefined) return { outcome: 'skip' };
    return typeof suppressed === 'function' ? suppressed().then(judge) : judge(suppressed);
  },
};
