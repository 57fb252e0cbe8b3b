// Continues an answer whose tool calls waited for approvals: makes the approved calls, and lets the model go on.
import type { JobHandler } from '../../../../platform/jobs.ts';
import type { AnswerRequest } from '../../../agents/agents/index.ts';
import { resume_job } from '../../../agents/runtime/index.ts';
import { type AnswerDeps, answerRun, lease_seconds, max_attempts, readRun } from './answer.ts';
import { runApproved } from './compose.ts';

/** Runs when the last call of the round is decided. */
export const resumeAnswerJob = (deps: AnswerDeps): JobHandler => ({
  kind: resume_job,
  lane: 'agents',
  lease_seconds,
  max_attempts,
  async run(job, signal) {
    const { organization_id, message_id } = job.payload as Record<'organization_id' | 'message_id', string>;
    const suspended = await deps.runtime.suspended(organization_id, message_id);
    if (!suspended) return;
    const run = await readRun(deps, job, suspended.request as AnswerRequest);
    if (run) {
      // A person wanted these calls, so they are made even if the agent may not write any more.
      await runApproved(deps, run, suspended.state, signal);
      await answerRun(deps, { ...run, resume: suspended.state }, signal);
    }
    // Replaced when it continues later, for example after quiet hours.
    if (await deps.jobs.isCurrent(deps.db, job))
      await deps.runtime.forgetSuspended(organization_id, message_id, suspended.round);
  },
});
