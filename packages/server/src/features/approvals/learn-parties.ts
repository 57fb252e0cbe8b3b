// Learns with whom an organization exchanged messages and calls. Only for organizations with a rule about new recipients, so
// that nothing is written when a message is sent.
import type { Clock } from '../../platform/clock.ts';
import type { JobHandler } from '../../platform/jobs.ts';
import { type ContactHistoryStore, type HistoryNoun, history_nouns } from './contact-history-store.ts';
import { firstIdAt } from './history-store.ts';
import { partyOf } from './parties.ts';

const every_seconds = 5;
const known_days = 365;
const day_ms = 86_400_000;
const batch_size = 2000;
/** Records are committed a moment after they get their id, and handed over a moment later: the newest are read again. */
const reread_ms = 15_000;

export const learnPartiesJob = (deps: {
  clock: Clock;
  contact_history: ContactHistoryStore;
}): JobHandler => ({
  kind: 'learn_contacted_parties',
  every_seconds,
  lease_seconds: 600,
  async run(_, signal) {
    for (const organization_id of await deps.contact_history.organizations()) {
      for (const noun of history_nouns) await learn(deps, organization_id, noun, signal);
    }
  },
});

async function learn(
  { clock, contact_history }: { clock: Clock; contact_history: ContactHistoryStore },
  organization_id: string,
  noun: HistoryNoun,
  signal: AbortSignal,
): Promise<void> {
  const newest = firstIdAt(new Date(clock.ms() - reread_ms));
  let after =
    (await contact_history.lastId(organization_id, noun)) ??
    firstIdAt(new Date(clock.ms() - known_days * day_ms));
  while (!signal.aborted) {
    const found = await contact_history.read(organization_id, noun, after, batch_size);
    if (found.length === 0) return;
    const parties = new Map<string, Date>();
    for (const { parties: own, at, counts } of found)
      if (counts) for (const party of own) parties.set(partyOf(party), at);
    after = found.at(-1)!.id;
    await contact_history.add(organization_id, noun, { parties, last_id: after < newest ? after : newest });
    if (found.length < batch_size) return;
  }
}
