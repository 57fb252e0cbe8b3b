// Opens conversations again whose snooze time is over.
import type { Clock } from '../../../../platform/clock.ts';
import type { Database } from '../../../../platform/db/database.ts';
import type { JobHandler } from '../../../../platform/jobs.ts';
import type { UnitOfWork } from '../../../../platform/unit-of-work/unit-of-work.ts';
import { conversationEvent } from '../events.ts';
import type { ChangeStore } from './change-store.ts';

const per_step = 200;

export const snoozeJob = (deps: {
  db: Database;
  clock: Clock;
  unitOfWork: UnitOfWork;
  changes: ChangeStore;
}): JobHandler => ({
  kind: 'open_snoozed_conversations',
  every_seconds: 10,
  async run(_job, signal) {
    while (!signal.aborted) {
      const opened = await deps.db.transaction(async (tx) => {
        const now = deps.clock.now();
        const rows = await deps.changes.snoozeEnded(tx, now, per_step);
        for (const row of rows) {
          row.inbox_state = 'open';
          row.snoozed_until = null;
          row.inbox_state_set_at = row.updated_at = now.toISOString();
          await deps.changes.saveFields(tx, row.organization_id, row);
        }
        const events = rows.map((row) => conversationEvent('conversation.updated', row, ['status']));
        if (events.length > 0) await deps.unitOfWork.commitIn(tx, [{ events }]);
        return rows.length;
      });
      if (opened < per_step) return;
    }
  },
});
