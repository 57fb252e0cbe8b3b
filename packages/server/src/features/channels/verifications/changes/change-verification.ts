// Changes a verification on behalf of its organization: answers, submission, cancellation.
import type { Verification } from '@parley/contract/channels/numbers/verification-records';
import type { VerificationPatch } from '@parley/contract/channels/numbers/verifications';
import { ApiError } from '../../../../platform/http/api-error.ts';
import { missing, missingProblems, recordOf } from '../checklist.ts';
import type { Deps } from '../deps.ts';
import { type Details, detailColumns, openDetails } from '../details.ts';
import { removeShredded } from '../documents/documents.ts';
import { carrierTrouble, storedSet } from '../requirements.ts';
import type { Ref, VerificationRow } from '../verification-row.ts';
import { chargeFee, checkAnswers, enqueueAdvance } from './create-verification.ts';
import { editable_states, findRow, isEditable } from './editable.ts';

export async function updateVerification(
  deps: Deps,
  ref: Ref,
  patch: VerificationPatch,
): Promise<Verification> {
  const { db, store, timeline, clock, sealer } = deps;
  const changed = await db.transaction(async (tx) => {
    const row = await store.lock(tx, ref);
    if (!row) throw new ApiError('not_found');
    if (!isEditable(row)) throw new ApiError('verification_not_editable');
    const details = merged(openDetails(sealer, row), patch);
    checkAnswers(
      Object.fromEntries(Object.entries(details.answers).filter(([key]) => patch.answers?.[key] != null)),
      row.requirement_set?.requirements ?? [],
    );
    const corrected = new Set([...Object.keys(patch.answers ?? {}), ...Object.keys(patch)]);
    const now = clock.now();
    await timeline.add(tx, row, 'changed', now);
    return store.change(tx, ref, editable_states, {
      ...(patch.subject_name !== undefined && { subject_name: patch.subject_name }),
      ...detailColumns(sealer, ref, details),
      problems: JSON.stringify(row.problems.filter(({ key }) => key === null || !corrected.has(key))),
      updated_at: now,
    });
  });
  return recordOf(changed!);
}

function merged(details: Details, patch: VerificationPatch): Details {
  const answers = { ...details.answers };
  for (const [key, answer] of Object.entries(patch.answers ?? {})) {
    if (answer === null || answer === '') delete answers[key];
    else answers[key] = answer;
  }
  return {
    address: patch.address === undefined ? details.address : patch.address,
    registration_number:
      patch.registration_number === undefined ? details.registration_number : patch.registration_number,
    answers,
  };
}

/** Safe to repeat: a verification that is being submitted, or was, is returned as it is. */
export async function submitVerification(deps: Deps, ref: Ref): Promise<Verification> {
  const { db, store, timeline, clock } = deps;
  const before = await findRow(deps, ref);
  if (before.state === 'approved' || before.state === 'canceled')
    throw new ApiError('verification_not_editable');
  if (!isEditable(before)) return recordOf(before);
  const requirement_set = await currentRequirements(deps, before);
  const result = await db.transaction(async (tx): Promise<VerificationRow | ApiError> => {
    const row = await store.lock(tx, ref);
    if (!row || !isEditable(row)) return row ?? new ApiError('not_found');
    const now = clock.now();
    const set = { requirement_set: JSON.stringify(requirement_set), updated_at: now };
    const items = missing({ ...row, requirement_set });
    if (items.length > 0) {
      // The checklist is stored, so that the record says what has changed at the carrier.
      await store.change(tx, ref, editable_states, set);
      return new ApiError('verification_incomplete', { errors: missingProblems(items) });
    }
    if (row.state === 'rejected') {
      await store.move(tx, ref, 'reopened', { attempt: row.attempt + 1 }, now);
      await timeline.add(tx, { ...row, attempt: row.attempt + 1 }, 'reopened', now);
    }
    await chargeFee(deps, tx, row);
    const submitted = (await store.change(tx, ref, ['draft'], { ...set, submit_requested_at: now }))!;
    await timeline.add(tx, submitted, 'submit_requested', now);
    await enqueueAdvance(deps, tx, ref);
    return submitted;
  });
  if (result instanceof ApiError) throw result;
  return recordOf(result);
}

/** Asked again, because requirements may have changed since the form was filled in. */
async function currentRequirements(deps: Deps, row: VerificationRow) {
  const carrier = deps.carriers.byName(row.provider);
  if (!carrier) throw new ApiError('carrier_not_configured');
  const { brand, number } = await relatives(deps, row);
  const query = { ...queryOf(row), brand: brand?.progress ?? null, e164: number?.e164 ?? null };
  return storedSet(await deps.requirements.read(carrier, query, true));
}

export const queryOf = ({ kind, country_code, number_type, subject_type, use_case }: VerificationRow) => ({
  kind,
  country_code,
  number_type,
  subject_type,
  use_case,
});

/** The brand of a campaign and the number of a toll-free verification. */
export async function relatives({ store, findNumber }: Deps, row: VerificationRow) {
  const { organization_id, brand_verification_id, number_id } = row;
  const brand = brand_verification_id ? await store.find(organization_id, brand_verification_id) : null;
  const number = number_id ? await findNumber(organization_id, number_id) : null;
  return { brand, number };
}

export async function cancelVerification(deps: Deps, ref: Ref): Promise<Verification> {
  const { db, store, timeline, documents, clock } = deps;
  const before = await findRow(deps, ref);
  if (before.state === 'approved') throw new ApiError('verification_not_editable');
  if (before.state === 'canceled') return recordOf(before);
  await cancelAtCarrier(deps, before);
  const canceled = await db.transaction(async (tx) => {
    const now = clock.now();
    const moved = await store.move(tx, ref, 'canceled', { submit_requested_at: null, waits_for: null }, now);
    if (!moved) return null;
    await timeline.add(tx, moved, 'canceled', now);
    await documents.shred(tx, ref, now, false);
    return store.find(ref.organization_id, ref.id, tx);
  });
  await removeShredded(deps);
  if (!canceled) throw new ApiError('verification_not_editable');
  return recordOf(canceled);
}

async function cancelAtCarrier(deps: Deps, row: VerificationRow): Promise<void> {
  if (Object.keys(row.progress).length === 0) return;
  const port = deps.carriers.byName(row.provider)?.registration;
  if (!port) throw new ApiError('carrier_not_configured');
  const done = await port.cancel(row.progress, row.kind);
  if (done.outcome === 'refused')
    throw new ApiError('verification_not_editable', {
      detail: 'The carrier does not let it be canceled now.',
    });
  if (done.outcome !== 'done') throw carrierTrouble(done);
}
