// Keeps the stored record of a received message while it is answered: several rules look at it.
import type { Received } from '../channels/channel.ts';

/** A message that is received again, by another run of the job, is another object and is read again. */
export function readOnce<T>(find: (organization_id: string, id: string) => Promise<T | null>) {
  const records = new WeakMap<Received, T>();
  return {
    keep(received: Received, record: T): Received {
      records.set(received, record);
      return received;
    },
    async read(received: Received): Promise<T> {
      return records.get(received) ?? (await find(received.organization_id, received.id))!;
    },
  };
}
