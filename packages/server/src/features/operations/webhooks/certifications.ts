// Checks a webhook receiver in a job: sends the requests of the SDK's check and stores how they were answered.
import { limits } from '@parley/contract/limits';
import type { WebhookCertification } from '@parley/contract/operations/webhooks/webhook-certifications';
import { certifyReceiver, type ReceiverAnswer, type ReceiverRequest } from '@parley/sdk';
import type { Dispatcher } from 'undici';
import type { Clock } from '../../../platform/clock.ts';
import type { Sealer } from '../../../platform/crypto.ts';
import type { Database, Queryable } from '../../../platform/db/database.ts';
import type { PageRequest } from '../../../platform/db/page.ts';
import { RequestFailed, requestOnce, type Target, targetOf } from '../../../platform/egress/request-once.ts';
import { ApiError } from '../../../platform/http/api-error.ts';
import type { Ids } from '../../../platform/ids.ts';
import type { Job, JobHandler } from '../../../platform/jobs.ts';
import * as store from './certification-store.ts';
import { sealContext } from './send/queue/recipients.ts';
import { findSubscription, lockSubscription } from './store.ts';

export const certify_receiver = 'certify_webhook_receiver';

/** Twelve cases with a few requests one after the other, each at most as long as a delivery. */
const lease_seconds = 600;

type CertificationDeps = {
  db: Database;
  clock: Clock;
  ids: Ids;
  scheduleCertification(on: Queryable, certification_id: string): Promise<void>;
};

export async function certify(
  { db, clock, ids, scheduleCertification }: CertificationDeps,
  organization_id: string,
  subscription_id: string,
): Promise<WebhookCertification> {
  const now = clock.now();
  return db.transaction(async (tx) => {
    if (!(await lockSubscription(tx, organization_id, subscription_id))) throw new ApiError('not_found');
    const recent = await store.recentCertifications(tx, subscription_id, now);
    if (recent?.is_running) throw new ApiError('certification_running');
    if (recent?.is_over_limit)
      throw new ApiError('too_many_certifications', {
        detail: `At most ${limits.webhook_certifications_per_day} within 24 hours.`,
      });
    const id = ids.next();
    const created = await store.insertCertification(tx, organization_id, { id, subscription_id, now });
    await scheduleCertification(tx, id);
    return created!;
  });
}

export async function getCertification(
  { db, clock }: CertificationDeps,
  organization_id: string,
  subscription_id: string,
  id: string,
): Promise<WebhookCertification> {
  const of = { id, subscription_id, now: clock.now() };
  const certification = await store.findCertification(db, organization_id, of);
  if (!certification) throw new ApiError('not_found');
  return certification;
}

export async function listCertifications(
  { db, clock }: CertificationDeps,
  organization_id: string,
  subscription_id: string,
  page: PageRequest,
) {
  if (!(await findSubscription(db, organization_id, subscription_id))) throw new ApiError('not_found');
  return store.listCertifications(db, organization_id, { ...page, subscription_id, now: clock.now() });
}

export type CertificationJobDeps = {
  db: Database;
  clock: Clock;
  sealer: Sealer;
  agent: Dispatcher;
  timeout_ms: number;
};

/** A process that dies leaves the job in the queue; the next run sends all requests again. */
export const certificationJob = (deps: CertificationJobDeps): JobHandler => ({
  kind: certify_receiver,
  // A receiver that does not respond keeps its check for minutes.
  lane: 'receivers',
  lease_seconds,
  max_attempts: 3,
  async run(job: Job, signal) {
    const id = String(job.payload.certification_id);
    const task = await store.findTask(deps.db, id);
    if (!task) return;
    const context = sealContext(task.organization_id, task.subscription_id);
    const result = await certifyReceiver({
      secret: deps.sealer.open(task.secret_sealed, context).toString('utf8'),
      send(request) {
        signal.throwIfAborted();
        return send(deps, targetOf(new URL(task.target_url)), request);
      },
    });
    await store.storeResult(deps.db, id, { ...result, now: deps.clock.now() });
  },
});

async function send(
  { agent, timeout_ms }: CertificationJobDeps,
  url: Target,
  { headers, body }: ReceiverRequest,
): Promise<ReceiverAnswer> {
  try {
    const response = await requestOnce(agent, {
      url,
      method: 'POST',
      headers,
      body,
      deadline_ms: timeout_ms,
      max_response_bytes: 0,
    });
    return {
      status: response.status,
      duration_ms: response.duration_ms,
      problem: null,
      is_duplicate: response.headers['x-parley-duplicate'] === '1',
    };
  } catch (failure) {
    if (!(failure instanceof RequestFailed)) throw failure;
    return {
      status: null,
      duration_ms: failure.duration_ms,
      problem: failure.reason,
      is_duplicate: false,
    };
  }
}
