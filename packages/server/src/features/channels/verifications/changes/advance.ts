// Hands a verification over to its carrier, one step at a time. Every step is stored before the next one.
import type { VerificationProblem } from '@parley/contract/channels/numbers/verification-records';
import type { Transaction } from '../../../../platform/db/database.ts';
import type {
  AdvanceResult,
  RegistrationPort,
  RegistrationRequest,
} from '../../../../providers/carrier/registration.ts';
import { reasonOf } from '../checklist.ts';
import type { Deps } from '../deps.ts';
import { detailColumns, openDetails, withoutSensitive } from '../details.ts';
import { documentsToHandOver, removeShredded } from '../documents/documents.ts';
import { actionRequired } from '../event-data.ts';
import type { Ref, VerificationRow } from '../verification-row.ts';
import { queryOf, relatives } from './change-verification.ts';
import { followVerification } from './follow.ts';

/** A submission has about 15 steps; more means that an adapter does not come to an end. */
const max_steps = 60;

/** Throws when the carrier must be asked again later, so that the job is tried again. */
export async function advanceVerification(deps: Deps, ref: Ref): Promise<void> {
  for (let step = 0; step < max_steps; step++) {
    const row = await deps.store.find(ref.organization_id, ref.id);
    if (!row || row.submit_requested_at === null) return;
    const port = deps.carriers.byName(row.provider)?.registration;
    if (!port) throw new Error(`the carrier ${row.provider} is not set up`);
    if ((await takeStep(deps, row, port)) === 'stop') return;
  }
  throw new Error('the submission needs too many steps');
}

async function takeStep(deps: Deps, row: VerificationRow, port: RegistrationPort): Promise<'next' | 'stop'> {
  const request = await requestOf(deps, row);
  const may_be_done = row.step_began;
  const began = await deps.store.beginStep(row, deps.clock.now());
  if (!began) return 'stop';
  const result = await port.advance(request, row.progress, { may_be_done });
  // Only a certain "nothing was done" ends the doubt about this step, and only if there was none before.
  const keeps_doubt = result.outcome === 'lost' || (result.outcome === 'busy' && may_be_done);
  if (keeps_doubt) throw new Error(`the carrier did not answer: ${result.outcome}`);
  const stored = await deps.db.transaction(async (tx) => {
    if (!(await deps.store.ownsStep(tx, row, began.token))) return false;
    await storeResult(deps, tx, row, result);
    return true;
  });
  if (!stored) await undoCanceled(deps, row, port, result);
  if (!stored) return 'stop';
  if (result.outcome === 'busy') throw new Error(`the carrier is busy: ${result.detail}`);
  if (result.outcome === 'step') return 'next';
  if (result.outcome === 'handed_over') {
    await removeShredded(deps);
    await followVerification(deps, row);
  }
  return 'stop';
}

/** The verification was canceled while the carrier was asked: what the step created there is deleted. */
async function undoCanceled(deps: Deps, row: VerificationRow, port: RegistrationPort, result: AdvanceResult) {
  const now = await deps.store.find(row.organization_id, row.id);
  if (now?.state === 'canceled' && 'progress' in result) await port.cancel(result.progress, row.kind);
}

async function storeResult(deps: Deps, tx: Transaction, row: VerificationRow, result: AdvanceResult) {
  const { store, log } = deps;
  const open = ['draft', 'submitted', 'in_review'];
  switch (result.outcome) {
    case 'step':
      return store.change(tx, row, open, { progress: JSON.stringify(result.progress), step_began_at: null });
    case 'busy':
      return store.change(tx, row, open, { step_began_at: null });
    case 'handed_over':
      return handedOver(deps, tx, row, result);
    case 'incomplete':
      return incomplete(deps, tx, row, result.problems, JSON.stringify(result.progress));
    case 'refused':
      log.warn({ verification_id: row.id, code: result.code }, 'verification refused by the carrier');
      return refused(deps, tx, row, [{ key: null, code: result.code, message: result.detail }]);
    default:
      return null;
  }
}

const ended_step = { step_began_at: null, submit_requested_at: null } as const;

async function handedOver(
  deps: Deps,
  tx: Transaction,
  row: VerificationRow,
  result: Extract<AdvanceResult, { outcome: 'handed_over' }>,
) {
  const { store, sealer, documents, timeline } = deps;
  const now = deps.clock.now();
  const kept = withoutSensitive(openDetails(sealer, row), row.requirement_set?.requirements ?? []);
  const set = {
    ...ended_step,
    ...detailColumns(sealer, row, kept),
    progress: JSON.stringify(result.progress),
    provider_verification_id: result.provider_verification_id,
    address_reference: result.address_reference,
    service_reference: result.service_reference,
    problems: null,
    rejection_reason: null,
    editable_until: null,
    waits_for: null,
    next_check_at: now,
  };
  await documents.shred(tx, row, now, true);
  // A later part of a submission whose first part is already in review.
  if (row.state !== 'draft') return store.change(tx, row, [row.state], { ...set, updated_at: now });
  await timeline.add(tx, row, 'submitted', now);
  return store.move(tx, row, 'submitted', { ...set, submitted_at: now }, now);
}

/**
 * The carrier's own check found problems: nothing was submitted, and the organization must act. A later part of a submission
 * ends it, because only a draft or a rejected verification can be corrected.
 */
async function incomplete(
  deps: Deps,
  tx: Transaction,
  row: VerificationRow,
  problems: VerificationProblem[],
  progress: string,
) {
  const now = deps.clock.now();
  if (row.state !== 'draft') {
    await deps.store.change(tx, row, [row.state], { progress });
    return refused(deps, tx, row, problems);
  }
  const set = { ...ended_step, progress, problems: JSON.stringify(problems), updated_at: now };
  const changed = await deps.store.change(tx, row, [row.state], set);
  await deps.timeline.add(tx, row, 'incomplete', now, problems);
  if (changed) await actionRequired(deps, tx, changed, now);
  return changed;
}

async function refused(deps: Deps, tx: Transaction, row: VerificationRow, problems: VerificationProblem[]) {
  const now = deps.clock.now();
  await deps.timeline.add(tx, row, 'rejected', now, problems);
  const set = { ...ended_step, problems: JSON.stringify(problems), rejection_reason: reasonOf(problems) };
  return deps.store.move(tx, row, 'rejected', set, now);
}

async function requestOf(deps: Deps, row: VerificationRow): Promise<RegistrationRequest> {
  const { brand, number } = await relatives(deps, row);
  const details = openDetails(deps.sealer, row);
  const renewed = row.kind === 'number' ? await deps.store.renewedBy(row) : [];
  return {
    reference: row.id,
    organization_id: row.organization_id,
    attempt: row.attempt,
    ...queryOf(row),
    subject_name: row.subject_name,
    ...details,
    documents: await documentsToHandOver(deps, row),
    requirements: row.requirement_set?.requirements ?? [],
    problems: row.attempt > 1 ? await deps.timeline.lastProblems(row) : [],
    brand: brand?.progress ?? null,
    number: number && { e164: number.e164, provider_number_id: number.provider_number_id },
    renews: renewed.map(({ progress }) => progress),
  };
}
