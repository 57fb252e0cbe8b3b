// The job that releases a call at its time, and how the timeline describes what a call waits for.
import type { Hold } from '@parley/contract/rules/approvals/hold';
import type { WaitingRef } from '../../../rules/admission/index.ts';

export const release_job = 'release_call';

/** A call that was moved to another time has a second job; the first one then does nothing. */
export const releaseJob = ({ organization_id, id }: WaitingRef, run_at: string) => ({
  kind: release_job,
  payload: { organization_id, call_id: id },
  run_at: new Date(run_at),
});

export const holdDetail = ({ kind, until, approval_id }: Hold) => ({
  kind,
  ...(until === null ? {} : { until }),
  ...(approval_id === null ? {} : { approval_id }),
});
