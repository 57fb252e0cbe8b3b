// The sandbox phones that ring now. Their ringing follows the service's clock, which the sandbox can move.
import type { Clock } from '../../../platform/clock.ts';

export type RingingPhone = {
  /** How long it still rings; zero or less when its time is over. */
  left_ms(): number;
  /** What happens when it has rung long enough. */
  finish(): Promise<void>;
};

/** Another process may move the clock, so it is checked this often while a phone rings. */
const check_ms = 250;

export function ringingPhones(service_clock: Pick<Clock, 'ms'>) {
  const phones = new Set<RingingPhone>();
  let timer: NodeJS.Timeout | undefined;
  const drain = async () => {
    await Promise.all([...phones].filter((phone) => phone.left_ms() <= 0).map((phone) => phone.finish()));
  };
  return {
    add(phone: RingingPhone): void {
      phones.add(phone);
      timer ??= setInterval(() => void drain(), check_ms).unref();
    },
    remove(phone: RingingPhone): void {
      phones.delete(phone);
      if (phones.size > 0) return;
      clearInterval(timer);
      timer = undefined;
    },
    /** Finishes every phone whose time is over. */
    drain,
    /** When the next phone finishes ringing; null when none rings. */
    async nextDue(): Promise<Date | null> {
      if (phones.size === 0) return null;
      const left_ms = Math.min(...[...phones].map((phone) => phone.left_ms()));
      return new Date(service_clock.ms() + Math.max(0, left_ms));
    },
  };
}
export type RingingPhones = ReturnType<typeof ringingPhones>;
