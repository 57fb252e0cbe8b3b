// A verification as it is stored.
import type {
  Requirement,
  Verification,
  VerificationDocument,
  VerificationProblem,
} from '@parley/contract/channels/numbers/verification-records';
import type { Progress } from '../../../providers/carrier/registration.ts';

export type Ref = { organization_id: string; id: string };

/** What the carrier asked for last. */
export type StoredSet = {
  requirements: Requirement[];
  review_days: Verification['review_days'];
  fee_cents: number | null;
};

/** A verification with its internal columns. */
export type VerificationRow = Omit<
  Verification,
  'requirements' | 'documents' | 'review_days' | 'fee_cents'
> & {
  requirement_set: StoredSet | null;
  /** The keys of what was answered, without the values. */
  answered: string[];
  problems: VerificationProblem[];
  documents: (VerificationDocument & { attempt: number })[];
  details_sealed: string | null;
  /** Only in rows of an earlier release that are not sealed yet. */
  address: Record<string, string> | null;
  registration_number: string | null;
  progress: Progress;
  /** A request to the carrier may have been sent, and its answer is not stored. */
  step_began: boolean;
  submit_requested_at: string | null;
  reminded_days: number | null;
  address_reference: string | null;
  service_reference: string | null;
};
