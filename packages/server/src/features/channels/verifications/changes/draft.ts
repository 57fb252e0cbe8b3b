// A new verification before anything is known about it: a draft without answers, documents or progress.
import type { VerificationKind } from '@parley/contract/channels/numbers/verification-records';
import type { VerificationRecord } from '@parley/contract/channels/numbers/verifications';
import type { Deps } from '../deps.ts';
import { placeOf } from '../requirements.ts';
import type { NewVerification } from '../store.ts';

type Subject = Pick<VerificationRecord, 'country_code' | 'number_type' | 'subject_type' | 'subject_name'> & {
  kind: VerificationKind;
};

export function emptyDraft(
  { clock, ids }: Pick<Deps, 'clock' | 'ids'>,
  organization_id: string,
  provider: string,
  subject: Subject,
): NewVerification {
  const { kind, country_code, number_type } = subject;
  const now = clock.now().toISOString();
  return {
    id: ids.next(),
    organization_id,
    kind,
    provider,
    provider_verification_id: null,
    ...placeOf(kind, { ...(country_code && { country_code }), ...(number_type && { number_type }) }),
    subject_type: subject.subject_type ?? 'business',
    subject_name: subject.subject_name,
    use_case: null,
    number_id: null,
    brand_verification_id: null,
    state: 'draft',
    attempt: 1,
    rejection_reason: null,
    editable_until: null,
    expires_at: null,
    created_at: now,
    updated_at: now,
    submitted_at: null,
    approved_at: null,
    requirement_set: null,
    answered: [],
    problems: [],
    details_sealed: null,
    address: null,
    registration_number: null,
    progress: {},
    submit_requested_at: null,
    reminded_days: null,
    address_reference: null,
    service_reference: null,
  };
}
