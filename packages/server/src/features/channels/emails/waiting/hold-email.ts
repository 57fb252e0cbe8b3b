// Stores that an email waits: at create, or because a rule deferred its hand-over.
import type { Hold } from '@parley/contract/rules/approvals/hold';
import { alsoEnqueue } from '../../../../platform/also-enqueue.ts';
import type { Clock } from '../../../../platform/clock.ts';
import type { Database, Transaction } from '../../../../platform/db/database.ts';
import type { RememberedRow } from '../../../../platform/idempotency.ts';
import type { Ids } from '../../../../platform/ids.ts';
import type { Jobs } from '../../../../platform/jobs.ts';
import { alsoWrite, type SideWrite } from '../../../../platform/unit-of-work/unit-of-work.ts';
import type { EmailRow } from '../store.ts';
import { type TimelineStore, timelineEntries } from '../timeline-store.ts';
import { changeWaiting, rememberAnswer } from './store.ts';
import { dueAt, newSendJob, waitingEntry, waitingFor } from './waiting-email.ts';

export type HoldDeps = {
  db: Database;
  clock: Clock;
  ids: Ids;
  timeline: Pick<TimelineStore, 'add'>;
  jobs: Pick<Jobs, 'enqueue' | 'wake'>;
};

/** The rows beside a new email that the worker sends: its timeline entry and its job. */
export function waitingRows(deps: Pick<HoldDeps, 'ids' | 'clock'>, email: EmailRow): SideWrite[] {
  const due = dueAt(email, deps.clock);
  return [
    ...(email.hold ? [alsoWrite(timelineEntries, waitingEntry(deps, email, waitingFor(email.hold)))] : []),
    ...(due ? [alsoEnqueue(deps, newSendJob(email, due))] : []),
  ];
}

/** False, and nothing is stored, when another process changed the email since `before`. */
export const storeHold = (
  deps: HoldDeps,
  before: EmailRow,
  after: EmailRow,
  more: {
    commit: ((tx: Transaction) => Promise<void>) | null;
    answer?: RememberedRow | null;
    /** What it waited for before it was claimed. */
    before?: Hold | null;
  },
): Promise<boolean> =>
  deps.db.transaction(async (tx) => {
    if (!(await changeWaiting(tx, before, after))) return false;
    await more.commit?.(tx);
    if (more.answer) await rememberAnswer(tx, more.answer);
    // The kill switch is checked every half minute, which is not worth an entry each.
    const is_same = more.before?.kind === 'kill_switch' && after.hold?.kind === 'kill_switch';
    if (after.hold && !is_same)
      await deps.timeline.add(tx, [waitingEntry(deps, after, waitingFor(after.hold))]);
    const due = dueAt(after, deps.clock);
    if (due) await deps.jobs.enqueue(tx, newSendJob(after, due));
    return true;
  });
