// Check 8: the balance. A text message is charged when its record is stored. A call must cover its first minute, which is
// reserved before dialing.
import { ApiError } from '../../../platform/http/api-error.ts';
import type { Funds } from '../../funds/index.ts';
import type { Check, Verdict } from '../admission.ts';

const insufficient = (): Verdict => ({
  outcome: 'refuse',
  reason: 'insufficient_funds',
  error: new ApiError('insufficient_funds'),
});

export const fundsCheck = (funds: Pick<Funds, 'charging' | 'charge' | 'covers'>): Check => ({
  name: 'funds',
  run(stage, { organization_id, channel, charge, is_dry_run }) {
    if (!funds.charging || !charge || organization_id === null) return { outcome: 'skip' };
    if (channel === 'calls' || is_dry_run) {
      return funds
        .covers(
          organization_id,
          charge.item,
          charge.quantity,
          stage === 'hand_over' ? charge.reference : undefined,
        )
        .then((covers) => (covers ? { outcome: 'allow' } : insufficient()));
    }
    // It was charged at create.
    if (stage === 'hand_over') return { outcome: 'skip' };
    return {
      outcome: 'allow',
      async commit(tx) {
        if ((await funds.charge(tx, organization_id, charge)) === 'insufficient_funds') {
          throw new ApiError('insufficient_funds');
        }
      },
    };
  },
});
