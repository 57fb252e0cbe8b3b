// Records a verification that was made in the carrier's console. It is read there first, so that nothing invented is stored.
import type { Verification } from '@parley/contract/verification-records';
import type { VerificationRecord } from '@parley/contract/verifications';
import { ApiError } from '../../platform/http/api-error.ts';
import { recordOf } from './checklist.ts';
import { relatedObjects } from './create-verification.ts';
import type { Deps } from './deps.ts';
import { findRow } from './editable.ts';
import { followVerification } from './follow.ts';
import { activeCarrier, carrierTrouble, placeOf } from './requirements.ts';
import type { NewVerification } from './store.ts';

/** Safe to repeat: the same reference is recorded once for an organization. */
export async function recordVerification(
  deps: Deps,
  organization_id: string,
  request: VerificationRecord,
): Promise<Verification> {
  const { store } = deps;
  if (!(await store.hasOrganization(organization_id))) throw new ApiError('not_found');
  const carrier = activeCarrier(deps.carriers);
  const port = carrier.registration;
  if (!port) throw new ApiError('verification_not_supported');
  const { kind, provider_verification_id } = request;
  const known = await store.byProviderId(organization_id, carrier.name, provider_verification_id);
  if (known) return recordOf(known);
  await relatedObjects(deps, organization_id, carrier, kind, request);
  const found = await port.adopt({ kind, provider_verification_id });
  if (found.outcome === 'absent')
    throw new ApiError('reference_not_found', { path: 'body.provider_verification_id' });
  if (found.outcome === 'refused') throw new ApiError('verification_not_supported', { detail: found.detail });
  if (found.outcome !== 'found') throw carrierTrouble(found);
  const row = recordedRow(deps, organization_id, carrier.name, request);
  await deps.db.transaction(async (tx) => {
    const now = deps.clock.now();
    await store.insert(tx, {
      ...row,
      progress: found.progress,
      service_reference: found.service_reference,
    });
    await deps.timeline.add(tx, row, 'recorded', now);
    await store.move(tx, row, 'submitted', { submitted_at: now }, now);
  });
  await followVerification(deps, row);
  return recordOf(await findRow(deps, row));
}

function recordedRow(
  { clock, ids }: Deps,
  organization_id: string,
  provider: string,
  request: VerificationRecord,
): NewVerification {
  const now = clock.now().toISOString();
  const { kind } = request;
  return {
    id: ids.next(),
    organization_id,
    kind,
    provider,
    provider_verification_id: request.provider_verification_id,
    ...placeOf(kind, {
      ...(request.country_code && { country_code: request.country_code }),
      ...(request.number_type && { number_type: request.number_type }),
    }),
    subject_type: request.subject_type ?? 'business',
    subject_name: request.subject_name,
    use_case: null,
    number_id: request.number_id ?? null,
    brand_verification_id: request.brand_verification_id ?? null,
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
    address_reference: request.address_reference ?? null,
    service_reference: null,
  };
}
