// Reserves money for what is charged when it is over, such as a call: taken from what is available at the start, extended
// while it lasts, settled at its end.
import type { ChargedItem } from '@parley/contract/funds';
import type { Clock } from '../../platform/clock.ts';
import type { Database, Transaction } from '../../platform/db/database.ts';
import type { FundsStore, Reservation } from './store.ts';

/** How much of which item, and what it is for. */
export type Use = { item: ChargedItem; quantity: number; reference: string };

const amountOf = ({ quantity, price_micros }: Pick<Reservation, 'quantity' | 'price_micros'>) =>
  quantity * price_micros;

export function fundReservations(deps: {
  db: Database;
  clock: Clock;
  store: FundsStore;
  charging: boolean;
  /** Charges what was used, whether or not the balance covers it. */
  chargeUsed(tx: Transaction, organization_id: string, use: Use & { price_micros?: number }): Promise<void>;
}) {
  const { db, clock, store, charging } = deps;

  return {
    /** `free`: it costs nothing however long it lasts, so there is nothing to extend. Repeating it changes nothing. */
    async reserve(
      tx: Transaction,
      organization_id: string,
      { item, quantity, reference }: Use,
    ): Promise<'free' | 'reserved' | 'insufficient_funds'> {
      if (!charging) return 'free';
      const account = await store.lock(tx, organization_id);
      // Only organizations that were made as such are charged.
      if (!account) return 'free';
      const known = await store.reservation(tx, organization_id, item, reference);
      if (known) return known.price_micros === 0 ? 'free' : 'reserved';
      const price_micros = await store.price(item, tx);
      const amount = amountOf({ quantity, price_micros });
      if (amount > 0 && account.balance_micros - account.reserved_micros < amount)
        return 'insufficient_funds';
      // Free ones are kept as well: a price that is raised meanwhile does not apply to them.
      const row = { item, reference, quantity, price_micros, created_at: clock.now() };
      await store.insertReservation(tx, organization_id, row);
      await store.addReserved(tx, organization_id, amount);
      return amount === 0 ? 'free' : 'reserved';
    },

    /** Raises a reservation to `quantity`; one that holds as much already stays. `gone`: it was settled. */
    extend(
      organization_id: string,
      { item, quantity, reference }: Use,
    ): Promise<'reserved' | 'insufficient_funds' | 'gone'> {
      return db.transaction(async (tx) => {
        const account = await store.lock(tx, organization_id);
        const held = account && (await store.reservation(tx, organization_id, item, reference));
        if (!held) return 'gone';
        const missing = amountOf({ quantity: quantity - held.quantity, price_micros: held.price_micros });
        if (quantity <= held.quantity) return 'reserved';
        if (account.balance_micros - account.reserved_micros < missing) return 'insufficient_funds';
        await store.raiseReservation(tx, organization_id, { item, reference, quantity });
        await store.addReserved(tx, organization_id, missing);
        return 'reserved';
      });
    },

    /**
     * Charges what was used and releases the rest. Never more than was reserved: a process that was late to end the use
     * cannot leave a debt. What began without a reservation is charged in full.
     */
    async settle(tx: Transaction, organization_id: string, use: Use): Promise<void> {
      if (!charging) return;
      if (!(await store.lock(tx, organization_id))) return;
      const held = await store.takeReservation(tx, organization_id, use.item, use.reference);
      if (held) await store.addReserved(tx, organization_id, -amountOf(held));
      if (use.quantity === 0) return;
      const quantity = held ? Math.min(use.quantity, held.quantity) : use.quantity;
      const at = held ? { price_micros: held.price_micros } : {};
      await deps.chargeUsed(tx, organization_id, { ...use, ...at, quantity });
    },

    /** Reservations of an item over all organizations, for those who look for ones whose use is over. */
    reservations: (item: ChargedItem, after: string, limit: number) => store.reservations(item, after, limit),
  };
}
export type FundReservations = ReturnType<typeof fundReservations>;
