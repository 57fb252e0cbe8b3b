// Verifications: registration with carriers, so that numbers can be bought and texts arrive.
import type { Job, JobHandler } from '../../../platform/jobs.ts';
import { advanceVerification } from './changes/advance.ts';
import { followDue, followVerification } from './changes/follow.ts';
import { advance_job, type Deps, follow_job, type VerificationDeps } from './deps.ts';
import { detailColumns, openDetails } from './details.ts';
import { documentStore } from './documents/document-store.ts';
import { removeOldDocuments } from './documents/documents.ts';
import { requirementReader } from './requirements.ts';
import { verificationRoutes } from './routes.ts';
import { verificationService } from './service.ts';
import { verificationStore } from './store.ts';
import { timelineStore } from './timeline-store.ts';
import type { Ref } from './verification-row.ts';

export { type RegisteredNumber, sync_sms_job } from './deps.ts';
export { verification_sealed_columns } from './details.ts';
export type { SmsApproval, VerificationService } from './service.ts';

const refOf = ({ payload }: Job): Ref => payload as Ref;

export function verificationFeature(feature: VerificationDeps) {
  const deps: Deps = {
    ...feature,
    store: verificationStore(feature.db, feature.move),
    documents: documentStore(feature.db),
    timeline: timelineStore(feature.db, feature.ids),
    requirements: requirementReader(feature),
  };
  const service = verificationService(deps);
  const jobs: JobHandler[] = [
    { kind: advance_job, lease_seconds: 300, run: (job) => advanceVerification(deps, refOf(job)) },
    {
      kind: follow_job,
      run: async (job) => {
        await adoptDraft(deps, refOf(job));
        await followVerification(deps, refOf(job), job);
      },
    },
    {
      kind: 'follow_open_verifications',
      every_seconds: 300,
      lease_seconds: 600,
      run: () => followOpen(deps),
    },
    {
      kind: 'follow_approved_verifications',
      every_seconds: 3600,
      lease_seconds: 600,
      run: () => followDue(deps, 'approved'),
    },
    { kind: 'remove_verification_documents', every_seconds: 3600, run: () => removeOldDocuments(deps) },
  ];
  return {
    service,
    routes: [verificationRoutes(service)],
    jobs,
    prepare: () => sealPlain(deps),
    handleCarrierEvents: service.handleEvents,
  };
}

/** Resumes submissions whose job has given up, then asks the carrier about what is open. */
async function followOpen(deps: Deps): Promise<void> {
  await sealPlain(deps);
  for (const { organization_id, id } of await deps.store.toAdvance()) {
    const unique_key = `${advance_job}:${id}`;
    await deps.jobs.enqueue(deps.db, { kind: advance_job, payload: { organization_id, id }, unique_key });
  }
  await followDue(deps, 'open');
}

/** A draft that a process of the previous release created must be submitted: it knows no other drafts. */
async function adoptDraft(deps: Deps, ref: Ref): Promise<void> {
  const row = await deps.store.find(ref.organization_id, ref.id);
  if (row?.state !== 'draft' || row.submit_requested_at !== null || row.requirement_set !== null) return;
  await deps.store.change(deps.db, ref, ['draft'], { submit_requested_at: deps.clock.now() });
  await advanceVerification(deps, ref);
}

/** Seals the personal data that earlier releases stored as plain text. */
async function sealPlain(deps: Deps): Promise<void> {
  for (const ref of await deps.store.unsealed()) {
    const row = await deps.store.find(ref.organization_id, ref.id);
    if (!row) continue;
    const set = detailColumns(deps.sealer, row, openDetails(deps.sealer, row));
    await deps.store.change(deps.db, row, [row.state], set);
  }
}
