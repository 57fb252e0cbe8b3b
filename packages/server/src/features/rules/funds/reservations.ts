// Reserves money for a use that is charged when it ends, such as a call: reserved at the start, extended while it lasts,
// settled at the end.
import type { ChargedItem } from '@parley/contract/rules/spending/funds';
import type { Clock } from '../../../platform/clock.ts';
import type { Database, Transaction } from '../../../platform/db/database.ts';
import type { Reservation, ReservationStore } from './reservation-store.ts';
import { availableMicros, type FundsStore } from './store.ts';

/** `reference` is the record that uses the item. */
export type Use = { item: ChargedItem; quantity: number; reference: string };

const amountOf = ({ quantity, price_micros }: Reservation) => quantity * price_micros;

export function fundReservations(deps: {
  db: Database;
  clock: Clock;
  store: FundsStore;
  reservation_store: ReservationStore;
  charging: boolean;
  /** Charges a use that has ended, also when the balance does not cover it. */
  chargeUsed(tx: Transaction, organization_id: string, use: Use & { price_micros?: number }): Promise<void>;
}) {
  const { db, clock, store, reservation_store: reservations, charging } = deps;

  return {
    /** `free`: it costs nothing, however long it lasts, so nothing has to be extended. Idempotent. */
    async reserve(
      tx: Transaction,
      organization_id: string,
      { item, quantity, reference }: Use,
    ): Promise<'free' | 'reserved' | 'insufficient_funds'> {
      if (!charging) return 'free';
      const account = await store.lockAccount(tx, organization_id);
      // The shared key can act for an organization id without a row. Such an organization is not charged.
      if (!account) return 'free';
      const existing = await reservations.find(tx, organization_id, { item, reference });
      if (existing) return existing.price_micros === 0 ? 'free' : 'reserved';
      const price_micros = await store.price(item, tx);
      const amount = amountOf({ quantity, price_micros });
      if (amount > 0 && availableMicros(account) < amount) return 'insufficient_funds';
      // Stored also when it is free: a price that is raised later does not apply to it.
      const row = { item, reference, quantity, price_micros, created_at: clock.now() };
      await reservations.insert(tx, organization_id, row);
      await reservations.addToSum(tx, organization_id, amount);
      return amount === 0 ? 'free' : 'reserved';
    },

    /** Raises a reservation to `quantity`; a larger one stays. `gone`: it was settled. */
    extend(
      organization_id: string,
      { item, quantity, reference }: Use,
    ): Promise<'reserved' | 'insufficient_funds' | 'gone'> {
      return db.transaction(async (tx) => {
        const account = await store.lockAccount(tx, organization_id);
        const reserved = account && (await reservations.find(tx, organization_id, { item, reference }));
        if (!reserved) return 'gone';
        if (quantity <= reserved.quantity) return 'reserved';
        const { price_micros } = reserved;
        const missing = amountOf({ quantity: quantity - reserved.quantity, price_micros });
        if (availableMicros(account) < missing) return 'insufficient_funds';
        await reservations.setQuantity(tx, organization_id, { item, reference, quantity });
        await reservations.addToSum(tx, organization_id, missing);
        return 'reserved';
      });
    },

    /**
     * Charges what was used and releases the rest. Never charges more than was reserved: a process that ends the use too
     * late cannot cause a debt. A use without a reservation is charged in full.
     */
    async settle(tx: Transaction, organization_id: string, use: Use): Promise<void> {
      if (!charging) return;
      if (!(await store.lockAccount(tx, organization_id))) return;
      const reserved = await reservations.delete(tx, organization_id, use);
      if (reserved) await reservations.addToSum(tx, organization_id, -amountOf(reserved));
      if (use.quantity === 0) return;
      const quantity = reserved ? Math.min(use.quantity, reserved.quantity) : use.quantity;
      const price = reserved ? { price_micros: reserved.price_micros } : {};
      await deps.chargeUsed(tx, organization_id, { ...use, ...price, quantity });
    },

    /** Reservations of an item over all organizations, for the sweeper that settles uses that have ended. */
    reservations: (item: ChargedItem, after: string, limit: number) => reservations.list(item, after, limit),
  };
}
export type FundReservations = ReturnType<typeof fundReservations>;
