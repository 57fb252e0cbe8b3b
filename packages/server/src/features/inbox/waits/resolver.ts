// Looks at waits that are due and ends them. Any number of processes may look at the same wait: one of them ends it.
import type { Clock } from '../../../platform/clock.ts';
import { DatabaseUnavailable } from '../../../platform/db/database.ts';
import type { Log } from '../../../platform/log.ts';
import { type Look, type LookDeps, lookFor } from './look.ts';
import { type WaitRecords, withCode } from './records.ts';
import type { WaitStore } from './store.ts';
import type { WaitRow } from './wait-row.ts';

export type ResolverDeps = LookDeps & { clock: Clock; log: Log; store: WaitStore; records: WaitRecords };

const batch_size = 50;
/** When the process crashes during a look, another one looks again after this time. */
const lease_ms = 30_000;
/** In case that nothing was a reason to look; it also keeps the time short that a look has to read. */
const regular_ms = 3_600_000;
const unresolved_ms = 5000;
const failed_ms = 60_000;
/** A message is committed at most this long after its id was created. */
const overlap_ms = 3_600_000;

/** The wait after it ended; null while it goes on. `since`: messages that were received earlier were evaluated before. */
export async function settle(
  deps: ResolverDeps,
  wait: WaitRow,
  since: Date,
): Promise<Omit<Look, 'match'> & { ended: WaitRow | null }> {
  const now = deps.clock.now();
  const { match, ...look } = await lookFor(deps, wait, since);
  const is_expired = !look.seen_until && Date.parse(wait.expires_at) <= now.getTime();
  if (!match && !is_expired) return { ended: null, ...look };
  const ended = match
    ? await deps.store.end(wait, {
        trigger: 'matched',
        ended_at: now,
        matched: await withCode(deps.records, wait.organization_id, match),
      })
    : await deps.store.end(wait, { trigger: 'expired', ended_at: now });
  return { ended: ended ?? (await deps.store.find(wait.organization_id, wait.id)), ...look };
}

/** Looks at every wait that is due. */
export async function settleDue(deps: ResolverDeps, isStopped: () => boolean): Promise<void> {
  while (!isStopped()) {
    const now = deps.clock.now();
    const due = await deps.store.claimDue(now, new Date(now.getTime() + lease_ms), batch_size);
    if (due.length === 0) return;
    for (const wait of due) {
      if (isStopped()) return;
      await settleOne(deps, wait);
    }
  }
}

async function settleOne(deps: ResolverDeps, wait: WaitRow): Promise<void> {
  const started_ms = deps.clock.ms();
  try {
    const { ended, keys, is_unresolved, seen_until } = await settle(deps, wait, new Date(wait.unseen_from));
    if (ended) return;
    const pause_ms = seen_until ? 0 : is_unresolved ? unresolved_ms : regular_ms;
    const unseen_from_ms = Date.parse(wait.unseen_from);
    // One millisecond may have more messages than a look evaluates: the next look goes on behind it, instead of repeating.
    const unseen_ms = seen_until
      ? Math.max(seen_until.getTime(), unseen_from_ms + 1)
      : started_ms - overlap_ms;
    await deps.store.planLook(wait, {
      look_at: new Date(Math.min(started_ms + pause_ms, Date.parse(wait.expires_at))),
      unseen_from: new Date(Math.max(unseen_from_ms, unseen_ms)),
      keys,
    });
  } catch (error) {
    if (error instanceof DatabaseUnavailable) throw error;
    deps.log.warn({ wait_id: wait.id, err: error }, 'wait not evaluated, retrying in a minute');
    const look_at = new Date(started_ms + failed_ms);
    await deps.store.planLook(wait, { look_at, unseen_from: new Date(wait.unseen_from), keys: [] });
  }
}
