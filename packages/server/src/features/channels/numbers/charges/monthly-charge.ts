// Charges numbers: one month when a number is bought, and every further month while it is held.
import type { Clock } from '../../../../platform/clock.ts';
import type { Database, Transaction } from '../../../../platform/db/database.ts';
import { ApiError } from '../../../../platform/http/api-error.ts';
import type { Funds } from '../../../rules/funds/index.ts';
import { chargeStore } from './charge-store.ts';

export function monthlyCharge(deps: {
  db: Database;
  clock: Clock;
  funds: Pick<Funds, 'charging' | 'charge' | 'covers'>;
}) {
  const { db, clock, funds } = deps;
  const store = chargeStore(db);

  /** The carrier already runs the number, so the charge may leave a negative balance. */
  const chargeMonth = async (tx: Transaction, organization_id: string, id: string, from: Date) => {
    const until = await store.paidAfter(tx, organization_id, id, from);
    // Another process charged this month, or the number was released.
    if (!until) return;
    await funds.charge(tx, organization_id, {
      item: 'number_month',
      quantity: 1,
      reference: `${id}:${from.toISOString()}`,
      already_used: true,
    });
  };

  return {
    /** Called before the carrier: a purchase without funds is not tried, and a failed purchase costs nothing. */
    async requireFunds(organization_id: string): Promise<void> {
      if (!(await funds.covers(organization_id, 'number_month', 1))) throw new ApiError('insufficient_funds');
    },

    /** Part of the commit that makes the number active. */
    async begin(tx: Transaction, organization_id: string, id: string): Promise<void> {
      if (funds.charging) await chargeMonth(tx, organization_id, id, clock.now());
    },

    /** Charges each month that began since the last paid one separately, also when the service was stopped for long. */
    async chargeDue(): Promise<void> {
      if (!funds.charging) return;
      const now = clock.now();
      for (;;) {
        const due = await store.unpaid(now, 100);
        if (due.length === 0) return;
        for (const { organization_id, id, from } of due) {
          await db.transaction((tx) => chargeMonth(tx, organization_id, id, new Date(from ?? now)));
        }
      }
    },
  };
}
export type MonthlyCharge = ReturnType<typeof monthlyCharge>;
