// The operations on verifications, and what other features ask about them.
import type {
  RequirementQuery,
  VerificationCreate,
  VerificationPatch,
  VerificationRecord,
} from '@parley/contract/channels/numbers/verifications';
import type { PageRequest } from '../../../platform/db/page.ts';
import type { CarrierEvent } from '../../../providers/carrier/carrier.ts';
import type { Progress } from '../../../providers/carrier/registration.ts';
import { cancelVerification, submitVerification, updateVerification } from './changes/change-verification.ts';
import { createVerification, readRequirements } from './changes/create-verification.ts';
import { findRow } from './changes/editable.ts';
import { enqueueSync, revokeApproved } from './changes/follow.ts';
import { recordVerification } from './changes/record-verification.ts';
import { recordOf } from './checklist.ts';
import { type Deps, follow_job } from './deps.ts';
import { deleteDocument, uploadDocument } from './documents/documents.ts';
import type { Ref, VerificationRow } from './verification-row.ts';

export function verificationService(deps: Deps) {
  const { store, timeline } = deps;
  return {
    requirements: (organization_id: string, query: RequirementQuery) =>
      readRequirements(deps, organization_id, query),
    create: (organization_id: string, request: VerificationCreate) =>
      createVerification(deps, organization_id, request),
    async list(organization_id: string, page: PageRequest & { kind?: string | undefined }) {
      const { items: rows, next_cursor } = await store.list(organization_id, page);
      return { items: rows.map(recordOf), next_cursor };
    },
    get: async (ref: Ref) => recordOf(await findRow(deps, ref)),
    update: (ref: Ref, patch: VerificationPatch) => updateVerification(deps, ref, patch),
    upload: (ref: Ref, files: Parameters<typeof uploadDocument>[2]) => uploadDocument(deps, ref, files),
    deleteDocument: (ref: Ref, document_id: string) => deleteDocument(deps, ref, document_id),
    submit: (ref: Ref) => submitVerification(deps, ref),
    cancel: (ref: Ref) => cancelVerification(deps, ref),
    async listEvents(ref: Ref, page: PageRequest) {
      await findRow(deps, ref);
      return timeline.list(ref.organization_id, ref.id, page);
    },
    record: (organization_id: string, request: VerificationRecord) =>
      recordVerification(deps, organization_id, request),
    ...approvals(deps),
    handleEvents: (carrier: string, events: CarrierEvent[]) => handleEvents(deps, carrier, events),
  };
}
export type VerificationService = ReturnType<typeof verificationService>;

/** A campaign or toll-free verification, as the numbers feature needs it. */
export type SmsApproval = { id: string; state: VerificationRow['state']; progress: Progress };

const approvalOf = (row: VerificationRow): SmsApproval => ({
  id: row.id,
  state: row.state,
  progress: row.progress,
});

const approvals = (deps: Deps) => ({
  /** What a purchase of this kind of number names at the carrier; null without an approval. */
  async approvedReference(
    organization_id: string,
    number: { provider: string; country_code: string; number_type: string },
  ): Promise<{ reference: string; address_reference: string | null } | null> {
    const row = await deps.store.approvedFor(organization_id, number, deps.clock.now());
    return row?.provider_verification_id
      ? { reference: row.provider_verification_id, address_reference: row.address_reference }
      : null;
  },

  /** The organization's approved campaigns at a carrier. */
  campaigns: async (organization_id: string, provider: string): Promise<SmsApproval[]> =>
    (await deps.store.approvedOf(organization_id, provider, 'us_campaign')).map(approvalOf),

  campaign: async (
    organization_id: string,
    id: string,
  ): Promise<(SmsApproval & { provider: string }) | null> => {
    const row = await deps.store.find(organization_id, id);
    return row?.kind === 'us_campaign' ? { ...approvalOf(row), provider: row.provider } : null;
  },

  tollFree: async (organization_id: string, number_id: string): Promise<SmsApproval | null> => {
    const row = await deps.store.ofNumber(organization_id, number_id);
    return row && approvalOf(row);
  },

  revoke: (
    verification: { organization_id: string; provider: string; reference: string },
    problems: Parameters<typeof revokeApproved>[2],
  ) => revokeApproved(deps, verification, problems),
});

/** A callback is only a hint: the state is read at the carrier. */
async function handleEvents(deps: Deps, carrier: string, events: CarrierEvent[]): Promise<void> {
  const { db, store, jobs } = deps;
  for (const event of events) {
    if (event.kind !== 'registration_changed') continue;
    for (const { organization_id, id, kind } of await store.byReference(carrier, event.reference)) {
      const unique_key = `${follow_job}:${id}`;
      const payload = { organization_id, id };
      // A run that is in progress may have read the state before this change.
      await jobs.enqueue(db, { kind: follow_job, payload, unique_key, replace: true });
      // The hint may be about a number of the campaign.
      if (kind === 'us_campaign' || kind === 'toll_free') await enqueueSync(deps, db, organization_id);
    }
  }
}
