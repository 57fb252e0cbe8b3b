// Which verifications their organization can change.
import { ApiError } from '../../../../platform/http/api-error.ts';
import type { Deps } from '../deps.ts';
import type { Ref, VerificationRow } from '../verification-row.ts';

export async function findRow({ store }: Deps, { organization_id, id }: Ref): Promise<VerificationRow> {
  const row = await store.find(organization_id, id);
  if (!row) throw new ApiError('not_found');
  return row;
}

export const isEditable = ({ state, submit_requested_at }: VerificationRow): boolean =>
  state === 'rejected' || (state === 'draft' && submit_requested_at === null);

export const editable_states = ['draft', 'rejected'] as const;
