// Check 8: the balance. A text message is charged when its record is stored, or at the hand-over when it was held: what is
// canceled costs nothing. A call must cover its first minute, which is reserved before dialing.
import type { Transaction } from '../../../../platform/db/database.ts';
import { ApiError } from '../../../../platform/http/api-error.ts';
import type { Funds } from '../../funds/index.ts';
import type { Check, Verdict } from '../admission.ts';

const insufficient = (): Verdict => ({
  outcome: 'refuse',
  reason: 'insufficient_funds',
  error: new ApiError('insufficient_funds'),
});

export const fundsCheck = (funds: Pick<Funds, 'charging' | 'charge' | 'covers'>): Check => ({
  name: 'funds',
  run(stage, { organization_id, channel, charge, is_dry_run, scheduled_at, terms }) {
    if (!funds.charging || !charge || organization_id === null) return { outcome: 'skip' };
    if (channel === 'calls' || is_dry_run || (stage === 'create' && scheduled_at)) {
      return funds
        .covers(
          organization_id,
          charge.item,
          charge.quantity,
          stage === 'hand_over' ? charge.reference : undefined,
        )
        .then((covers) => (covers ? { outcome: 'allow' } : insufficient()));
    }
    const pay = async (tx: Transaction) => {
      if ((await funds.charge(tx, organization_id, charge)) === 'insufficient_funds') {
        throw new ApiError('insufficient_funds');
      }
    };
    if (stage === 'create') return { outcome: 'allow', commit_unless_held: pay };
    // Others were charged at create.
    return terms?.is_counted_at_hand_over ? { outcome: 'allow', commit: pay } : { outcome: 'skip' };
  },
});
