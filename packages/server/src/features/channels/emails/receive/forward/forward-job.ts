// The background job that forwards one received email for one domain.
import type { Jobs } from '../../../../../platform/jobs.ts';

export const forward_job = 'forward_email';

export type ForwardJob = {
  organization_id: string;
  email_id: string;
  email_domain_id: string;
  forward_to: string[];
  /** How many times a rule deferred it. Each time it is a job of its own. */
  holds?: number;
  /** The trace of the receipt. */
  traceparent?: string;
};

/** The unique key prevents a second forward of the same message by the same domain. Each deferral gets its own key. */
export function newForwardJob(payload: ForwardJob, run_at?: Date): Parameters<Jobs['enqueue']>[1] {
  const { email_id, email_domain_id, holds } = payload;
  const unique_key = `${forward_job}:${email_id}:${email_domain_id}${holds ? `:${holds}` : ''}`;
  return { kind: forward_job, payload, unique_key, ...(run_at ? { run_at } : {}) };
}
