// The rules of verifications: handed to the carrier in the background, and moved only by what the carrier says.
import type { Verification, VerificationCreate } from '@parley/contract/verifications';
import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/db/database.ts';
import type { PageRequest } from '../../platform/db/page.ts';
import { ApiError } from '../../platform/http/api-error.ts';
import type { Ids } from '../../platform/ids.ts';
import type { Jobs } from '../../platform/jobs.ts';
import type { Mover } from '../../platform/lifecycle.ts';
import type { Log } from '../../platform/log.ts';
import type { GuardedCarriers } from '../admission/index.ts';
import { type VerificationFile, verificationStore } from './store.ts';

export const follow_job = 'follow_verification';

const triggers = {
  submitted: null,
  in_review: 'review_began',
  approved: 'approved',
  rejected: 'rejected',
  canceled: 'canceled',
} as const;

export function verificationService(deps: {
  db: Database;
  move: Mover;
  carriers: GuardedCarriers;
  clock: Clock;
  ids: Ids;
  log: Log;
  jobs: Pick<Jobs, 'enqueue' | 'wake'>;
}) {
  const { db, carriers, clock } = deps;
  const store = verificationStore(db, deps.move);

  const follow = async (organization_id: string, id: string): Promise<void> => {
    const file = await store.findFile(organization_id, id);
    const port = file && carriers.byName(file.provider)?.verification;
    if (!port) return;
    let provider_verification_id = file.provider_verification_id;
    if (file.state === 'draft') {
      const done = await port.submit({ ...file, reference: file.id });
      if (done.outcome === 'refused') {
        await db.transaction((tx) =>
          store.move(tx, organization_id, id, 'rejected', {
            rejection_reason: done.detail,
            updated_at: clock.now(),
          }),
        );
        return;
      }
      if (done.outcome !== 'done')
        throw new Error(`the carrier did not take the verification: ${done.outcome}`);
      provider_verification_id = done.provider_verification_id;
      const now = clock.now();
      await db.transaction((tx) =>
        store.move(tx, organization_id, id, 'submitted', {
          provider_verification_id,
          submitted_at: now,
          updated_at: now,
        }),
      );
    }
    const news = await port.state(provider_verification_id!);
    if (news.outcome !== 'known') throw new Error(`the carrier does not tell the state: ${news.outcome}`);
    const trigger = triggers[news.state];
    if (trigger === null) return;
    const now = clock.now();
    await db.transaction((tx) =>
      store.move(tx, organization_id, id, trigger, {
        updated_at: now,
        ...(trigger === 'approved' && { approved_at: now }),
        ...(trigger === 'rejected' && { rejection_reason: news.rejection_reason }),
      }),
    );
  };

  return {
    async create(organization_id: string, given: VerificationCreate): Promise<Verification> {
      const carrier = carriers.active;
      if (!carrier) throw new ApiError('carrier_not_configured');
      if (!carrier.verification) throw new ApiError('verification_not_supported');
      const now = clock.now().toISOString();
      const verification: Verification = {
        id: deps.ids.next(),
        organization_id,
        provider: carrier.name,
        country_code: given.country_code,
        number_type: given.number_type,
        subject_type: given.subject_type,
        subject_name: given.subject_name,
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
        address: given.address ?? null,
        registration_number: given.registration_number ?? null,
      };
      await db.transaction(async (tx) => {
        await store.insert(tx, file);
        await deps.jobs.enqueue(tx, { kind: follow_job, payload: { organization_id, id: verification.id } });
        tx.afterCommit(() => deps.jobs.wake());
      });
      return verification;
    },

    list: (organization_id: string, page: PageRequest) => store.list(organization_id, page),

    async get(organization_id: string, id: string): Promise<Verification> {
      const verification = await store.find(organization_id, id);
      if (!verification) throw new ApiError('not_found');
      return verification;
    },

    /** The carrier's own id of an approved verification that covers such a number. */
    async approvedReference(
      organization_id: string,
      of: { provider: string; country_code: string; number_type: string },
    ): Promise<string | null> {
      return (await store.approved(organization_id, of))?.provider_verification_id ?? null;
    },

    follow,

    /** Asks the carrier about all that are undecided; one that cannot be asked does not hold up the others. */
    async followAll(): Promise<void> {
      for (const { organization_id, id } of await store.open()) {
        await follow(organization_id, id).catch((error) =>
          deps.log.warn({ verification_id: id, err: error }, 'a verification cannot be followed right now'),
        );
      }
    },
  };
}
export type VerificationService = ReturnType<typeof verificationService>;
