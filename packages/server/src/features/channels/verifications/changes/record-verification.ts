// Records a verification that was made in the carrier's console. It is read there first, so that nothing invented is stored.
import type { Verification } from '@parley/contract/channels/numbers/verification-records';
import type { VerificationRecord } from '@parley/contract/channels/numbers/verifications';
import { ApiError } from '../../../../platform/http/api-error.ts';
import { recordOf } from '../checklist.ts';
import type { Deps } from '../deps.ts';
import { activeCarrier, carrierTrouble } from '../requirements.ts';
import type { NewVerification } from '../store.ts';
import { relatedObjects } from './create-verification.ts';
import { emptyDraft } from './draft.ts';
import { findRow } from './editable.ts';
import { followVerification } from './follow.ts';

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
  const row: NewVerification = {
    ...emptyDraft(deps, organization_id, carrier.name, request),
    provider_verification_id,
    number_id: request.number_id ?? null,
    brand_verification_id: request.brand_verification_id ?? null,
    address_reference: request.address_reference ?? null,
    progress: found.progress,
    service_reference: found.service_reference,
  };
  await deps.db.transaction(async (tx) => {
    const now = deps.clock.now();
    await store.insert(tx, row);
    await deps.timeline.add(tx, row, 'recorded', now);
    await store.move(tx, row, 'submitted', { submitted_at: now }, now);
  });
  await followVerification(deps, row);
  return recordOf(await findRow(deps, row));
}
