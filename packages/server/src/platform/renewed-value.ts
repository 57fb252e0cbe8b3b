// A value that another service lends for a time, such as a token: fetched once for all who ask, and renewed before its end.
import type { Clock } from './clock.ts';

export type Lent<T> = { value: T; expires_ms: number };

export type RenewedValue<T> = {
  current(): Promise<T>;
  /** After the value was refused: the next call fetches another one, unless somebody has done so already. */
  forget(refused: T): void;
};

/** Renewed this long before the end, or at the half of a short life. */
const early_ms = 5 * 60_000;
/** After a renewal that failed, while the value still lives. */
const retry_ms = 30_000;

export function renewedValue<T>(fetch: () => Promise<Lent<T>>, clock: Clock): RenewedValue<T> {
  let lent: (Lent<T> & { renew_ms: number }) | null = null;
  let pending: Promise<Lent<T>> | null = null;
  const renew = async (): Promise<Lent<T>> => {
    const next = await fetch();
    const life_ms = Math.max(0, next.expires_ms - clock.ms());
    lent = { ...next, renew_ms: next.expires_ms - Math.min(early_ms, life_ms / 2) };
    return next;
  };
  return {
    async current() {
      if (lent && clock.ms() < lent.renew_ms) return lent.value;
      pending ??= renew().finally(() => {
        pending = null;
      });
      try {
        return (await pending).value;
      } catch (error) {
        if (!lent || clock.ms() >= lent.expires_ms) throw error;
        lent = { ...lent, renew_ms: clock.ms() + retry_ms };
        return lent.value;
      }
    },
    forget(refused) {
      if (lent?.value === refused) lent = null;
    },
  };
}
