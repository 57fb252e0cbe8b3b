// Check 8: the balance. Texts are charged with their record; a call must be able to pay its first minute, which it reserves
// before it is dialled.
import { ApiError } from '../../../platform/http/api-error.ts';
import type { Funds } from '../../funds/index.ts';
import type { Check, Verdict } from '../admission.ts';

const broke = (): Verdict => ({
  outcome: 'refuse',
  reason: 'insufficient_funds',
  error: new ApiError('insufficient_funds'),
});

export const fundsCheck = (funds: Pick<Funds, 'charging' | 'charge' | 'covers'>): Check => ({
  name: 'funds',
  ask(stage, { organization_id, channel, charge, is_trial }) {
    if (!funds.charging || !charge || organization_id === null) return { outcome: 'skip' };
    if (channel === 'calls' || is_trial) {
      return funds
        .covers(
          organization_id,
          charge.item,
          charge.quantity,
          stage === 'hand_over' ? charge.reference : undefined,
        )
        .then((covers) => (covers ? { outcome: 'allow' } : broke()));
    }
    // Paid for when it was created.
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
