// What a number costs: a month when it is bought, and every further month while it is held.
import type { Clock } from '../../platform/clock.ts';
import type { Database, Transaction } from '../../platform/db/database.ts';
import { ApiError } from '../../platform/http/api-error.ts';
import type { Funds } from '../funds/index.ts';
import type { NumberStore } from './store.ts';

export function monthlyCharge(deps: {
  db: Database;
  store: NumberStore;
  clock: Clock;
  funds: Pick<Funds, 'charging' | 'charge' | 'covers'>;
}) {
  const { db, store, clock, funds } = deps;

  /** The carrier has the number running already, so the month may leave a debt. */
  const chargeMonth = async (tx: Transaction, organization_id: string, id: string, from: Date) => {
    const until = await store.paidAfter(tx, organization_id, id, from);
    // Somebody else charged this month, or the number was given back.
    if (!until) return;
    await funds.charge(tx, organization_id, {
      item: 'number_month',
      quantity: 1,
      reference: `${id}:${from.toISOString()}`,
      already_used: true,
    });
  };

  return {
    /** Before the carrier is asked: a failed purchase costs nothing, one without funds is not tried. */
    async requireFunds(organization_id: string): Promise<void> {
      if (!(await funds.covers(organization_id, 'number_month', 1))) throw new ApiError('insufficient_funds');
    },

    /** Part of the commit that makes the number active. */
    async begin(tx: Transaction, organization_id: string, id: string): Promise<void> {
      if (funds.charging) await chargeMonth(tx, organization_id, id, clock.now());
    },

    /** Every month that began since the last one paid is charged on its own, also after a long stop. */
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
