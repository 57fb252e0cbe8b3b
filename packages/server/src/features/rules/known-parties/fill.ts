// Completes the list of known parties of an organization from its records.
import { addressKey, readAddress } from '@parley/contract/schema/mailbox';
import type { Clock } from '../../../platform/clock.ts';
import type { Transaction } from '../../../platform/db/database.ts';
import type { KnownPartyStore } from './store.ts';

const day_ms = 86_400_000;
const known_days = 365;
/** Records are stored a moment after their ids are made. */
const overlap_ms = 60_000;
/** A year of records is read in parts, each small enough for memory. */
const step_ms = 7 * day_ms;
/** A record that is open for longer does not delay the list. */
const max_open_ms = day_ms;

export type FillDeps = { clock: Clock; store: KnownPartyStore };

export const knownSince = (clock: Clock) => new Date(clock.ms() - known_days * day_ms);

/** Two spellings of one address are the same party. */
export const partyOf = (recipient: string) =>
  recipient.startsWith('+') ? recipient : addressKey(readAddress(recipient) ?? recipient);

/** Reads one part of the records, and locks the list until the transaction ends. True when the list is complete. */
export async function fillStep(deps: FillDeps, tx: Transaction, organization_id: string): Promise<boolean> {
  const { clock, store } = deps;
  const now_ms = clock.ms();
  const filled_until = await store.lock(tx, organization_id, knownSince(clock));
  const since = new Date(filled_until.getTime() - overlap_ms);
  // Ids of this moment are included.
  const until = new Date(Math.min(since.getTime() + step_ms, now_ms + 1));
  const range = { since, until };
  // Before reading what was sent: a record that is sent in between is read again by the next step.
  const open = await store.oldestOpen(tx, organization_id, range);
  const parties = new Map<string, Date>();
  for (const { party, at } of await store.exchanged(tx, organization_id, range)) {
    const key = partyOf(party);
    const known_at = parties.get(key);
    if (!known_at || known_at < at) parties.set(key, at);
  }
  if (parties.size > 0) await store.add(tx, organization_id, parties);
  const open_ms = open && open.getTime() > now_ms - max_open_ms ? open.getTime() : Number.POSITIVE_INFINITY;
  await store.setFilled(tx, organization_id, new Date(Math.min(until.getTime(), open_ms)));
  return until.getTime() > now_ms;
}
