// The rules of verifications: submitted to the carrier in the background; only the carrier's answers change their state.
import type { Verification, VerificationCreate } from '@parley/contract/verifications';
import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/db/database.ts';
import type { PageRequest } from '../../platform/db/page.ts';
import { ApiError } from '../../platform/http/api-error.ts';
import type { Ids } from '../../platform/ids.ts';
import type { Jobs } from '../../platform/jobs.ts';
import type { Mover } from '../../platform/lifecycle.ts';
import type { Log } from '../../platform/log.ts';
import type { VerificationPort } from '../../providers/carrier/carrier.ts';
import type { GuardedCarriers } from '../admission/index.ts';
import { type VerificationFile, type VerificationStore, verificationStore } from './store.ts';

export const follow_job = 'follow_verification';

type ServiceDeps = {
  db: Database;
  move: Mover;
  carriers: GuardedCarriers;
  clock: Clock;
  ids: Ids;
  log: Log;
  jobs: Pick<Jobs, 'enqueue' | 'wake'>;
};
type Deps = ServiceDeps & { store: VerificationStore };

const triggers = {
  submitted: null,
  in_review: 'review_began',
  approved: 'approved',
  rejected: 'rejected',
  canceled: 'canceled',
} as const;

export function verificationService(service_deps: ServiceDeps) {
  const store = verificationStore(service_deps.db, service_deps.move);
  const deps: Deps = { ...service_deps, store };
  const follow = (organization_id: string, id: string) => followVerification(deps, organization_id, id);
  return {
    create: (organization_id: string, request: VerificationCreate) =>
      createVerification(deps, organization_id, request),

    list: (organization_id: string, page: PageRequest) => store.list(organization_id, page),

    async get(organization_id: string, id: string): Promise<Verification> {
      const verification = await store.find(organization_id, id);
      if (!verification) throw new ApiError('not_found');
      return verification;
    },

    /** The carrier's id of an approved verification for this kind of number. */
    async approvedReference(
      organization_id: string,
      number: { provider: string; country_code: string; number_type: string },
    ): Promise<string | null> {
      return (await store.approved(organization_id, number))?.provider_verification_id ?? null;
    },

    follow,

    /** Queries the carrier about all open verifications. A failure of one does not stop the others. */
    async followAll(): Promise<void> {
      for (const { organization_id, id } of await store.open()) {
        await follow(organization_id, id).catch((error) =>
          deps.log.warn({ verification_id: id, err: error }, 'verification not updated'),
        );
      }
    },
  };
}
export type VerificationService = ReturnType<typeof verificationService>;

async function createVerification(
  { db, store, carriers, clock, ids, jobs }: Deps,
  organization_id: string,
  request: VerificationCreate,
): Promise<Verification> {
  const carrier = carriers.active;
  if (!carrier) throw new ApiError('carrier_not_configured');
  if (!carrier.verification) throw new ApiError('verification_not_supported');
  const now = clock.now().toISOString();
  const verification: Verification = {
    id: ids.next(),
    organization_id,
    provider: carrier.name,
    country_code: request.country_code,
    number_type: request.number_type,
    subject_type: request.subject_type,
    subject_name: request.subject_name,
    state: 'draft',
    rejection_reason: null,
    created_at: now,
    updated_at: now,
    submitted_at: null,
    approved_at: null,
  };
  const file: VerificationFile = {
    ...verification,
    provider_verification_id: null,
    address: request.address ?? null,
    registration_number: request.registration_number ?? null,
  };
  await db.transaction(async (tx) => {
    await store.insert(tx, file);
    await jobs.enqueue(tx, { kind: follow_job, payload: { organization_id, id: verification.id } });
    tx.afterCommit(() => jobs.wake());
  });
  return verification;
}

/** Submits a draft to the carrier, then applies the state that the carrier reports. */
async function followVerification(deps: Deps, organization_id: string, id: string): Promise<void> {
  const { db, store, clock } = deps;
  const file = await store.findFile(organization_id, id);
  const port = file && deps.carriers.byName(file.provider)?.verification;
  if (!port) return;
  const provider_verification_id =
    file.state === 'draft' ? await submitDraft(deps, port, file) : file.provider_verification_id;
  if (provider_verification_id === null) return;
  const progress = await port.state(provider_verification_id);
  if (progress.outcome !== 'known')
    throw new Error(`the carrier did not report the state: ${progress.outcome}`);
  const trigger = triggers[progress.state];
  if (trigger === null) return;
  const now = clock.now();
  await db.transaction((tx) =>
    store.move(tx, organization_id, id, trigger, {
      updated_at: now,
      ...(trigger === 'approved' && { approved_at: now }),
      ...(trigger === 'rejected' && { rejection_reason: progress.rejection_reason }),
    }),
  );
}

/** Returns the carrier's id; null when the carrier rejected the request. */
async function submitDraft(
  { db, store, clock }: Deps,
  port: VerificationPort,
  file: VerificationFile,
): Promise<string | null> {
  const { organization_id, id } = file;
  const submission = await port.submit({ ...file, reference: id });
  const now = clock.now();
  if (submission.outcome === 'refused') {
    const set = { rejection_reason: submission.detail, updated_at: now };
    await db.transaction((tx) => store.move(tx, organization_id, id, 'rejected', set));
    return null;
  }
  if (submission.outcome !== 'done')
    throw new Error(`the carrier did not accept the verification: ${submission.outcome}`);
  const { provider_verification_id } = submission;
  const set = { provider_verification_id, submitted_at: now, updated_at: now };
  await db.transaction((tx) => store.move(tx, organization_id, id, 'submitted', set));
  return provider_verification_id;
}
