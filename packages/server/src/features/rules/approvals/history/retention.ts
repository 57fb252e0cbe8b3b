// Erases the content of approvals some time after their decision: messages must not stay in approvals for ever.
import type { Clock } from '../../../../platform/clock.ts';
import type { JobHandler } from '../../../../platform/jobs.ts';
import type { ApprovalRetentionStore } from './retention-store.ts';

const batch_size = 200;

export const eraseContentJob = (deps: {
  /** Decides what is old enough. */
  expiry_clock: Clock;
  content_days: number;
  retention: ApprovalRetentionStore;
}): JobHandler => ({
  kind: 'erase_approval_content',
  every_seconds: 3600,
  async run(_, signal) {
    const now = deps.expiry_clock.now();
    const decided_before = new Date(now.getTime() - deps.content_days * 86_400_000);
    while (!signal.aborted) {
      const erased = await deps.retention.eraseContent(decided_before, now, batch_size);
      if (erased < batch_size) return;
    }
  },
});
