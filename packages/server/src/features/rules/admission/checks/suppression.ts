// Check 3: recipients who opted out, complained, bounced permanently or were suppressed by a user.
import { ApiError } from '../../../../platform/http/api-error.ts';
import type { ConsentGate } from '../../consents/index.ts';
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

/** Calls have no list of their own: people refuse them with STOP, in a call, or by unsubscribing; see the contact rules. */
export const suppressionCheck = (gate: Pick<ConsentGate, 'stoppedCalls'>): Check => ({
  name: 'suppression',
  run(_, { origin, suppressed, channel, organization_id, recipients }) {
    // The reply to STOP confirms the opt-out, and goes only to its sender.
    if (origin === 'keyword' || origin === 'inbound_call') return { outcome: 'skip' };
    if (channel === 'calls' && organization_id !== null) {
      const stopped = gate.stoppedCalls(organization_id, recipients);
      return stopped instanceof Promise ? stopped.then(judge) : judge(stopped);
    }
    if (suppressed === undefined) return { outcome: 'skip' };
    return typeof suppressed === 'function' ? suppressed().then(judge) : judge(suppressed);
  },
});
