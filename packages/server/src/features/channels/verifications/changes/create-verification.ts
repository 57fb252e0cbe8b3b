// Creates a verification: a draft with the carrier's checklist, handed over at once when nothing is missing.
import type {
  Requirement,
  Verification,
  VerificationKind,
} from '@parley/contract/channels/numbers/verification-records';
import type {
  Answer,
  RequirementQuery,
  VerificationCreate,
} from '@parley/contract/channels/numbers/verifications';
import type { Transaction } from '../../../../platform/db/database.ts';
import { ApiError, validationError } from '../../../../platform/http/api-error.ts';
import type { Progress } from '../../../../providers/carrier/registration.ts';
import type { GuardedCarrier } from '../../../rules/admission/index.ts';
import { answerProblem, missing, recordOf } from '../checklist.ts';
import { advance_job, type Deps } from '../deps.ts';
import { type Details, detailColumns } from '../details.ts';
import { activeCarrier, placeOf, portFor, storedSet } from '../requirements.ts';
import type { NewVerification } from '../store.ts';
import type { Ref, VerificationRow } from '../verification-row.ts';
import { emptyDraft } from './draft.ts';

/** What the carrier wants to know. */
export async function readRequirements(deps: Deps, organization_id: string, query: RequirementQuery) {
  const carrier = activeCarrier(deps.carriers);
  const { kind = 'number', subject_type = 'business', use_case = null, e164 = null } = query;
  const brand = kind === 'us_campaign' ? await newestBrand(deps, organization_id, carrier) : null;
  const place = placeOf(kind, {
    ...(query.country_code && { country_code: query.country_code }),
    ...(query.number_type && { number_type: query.number_type }),
  });
  return deps.requirements.read(carrier, { kind, ...place, subject_type, use_case, e164, brand });
}

const newestBrand = async ({ store }: Deps, organization_id: string, { name }: GuardedCarrier) =>
  (await store.approvedOf(organization_id, name, 'us_brand'))[0]?.progress ?? null;

export async function createVerification(
  deps: Deps,
  organization_id: string,
  request: VerificationCreate,
): Promise<Verification> {
  const carrier = activeCarrier(deps.carriers);
  const { kind = 'number' } = request;
  portFor(carrier, kind);
  const { brand, e164 } = await relatedObjects(deps, organization_id, carrier, kind, request);
  const row = newRow(deps, organization_id, carrier.name, request);
  const set = await deps.requirements.read(carrier, { ...row, brand, e164 });
  row.requirement_set = storedSet(set);
  const details: Details = {
    address: request.address ?? null,
    registration_number: request.registration_number ?? null,
    answers: givenAnswers(request.answers ?? {}),
  };
  checkAnswers(details.answers, row.requirement_set.requirements);
  Object.assign(row, detailColumns(deps.sealer, row, details));
  if (await deps.store.hasTooManyOpen(organization_id)) throw new ApiError('too_many_verifications');
  const wants_submit = request.submit ?? true;
  const is_complete = missing({ ...row, documents: [] }).length === 0;
  if (wants_submit && is_complete) row.submit_requested_at = row.created_at;
  return recordOf(await storeNew(deps, row));
}

async function storeNew(deps: Deps, row: NewVerification): Promise<VerificationRow> {
  const { db, store, timeline, clock } = deps;
  return db.transaction(async (tx) => {
    const now = clock.now();
    await store.insert(tx, row);
    await timeline.add(tx, row, 'created', now);
    if (row.submit_requested_at !== null) {
      await chargeFee(deps, tx, row);
      await timeline.add(tx, row, 'submit_requested', now);
      await enqueueAdvance(deps, tx, row);
    }
    return (await store.find(row.organization_id, row.id, tx))!;
  });
}

/** Once per verification: corrections of a rejected one are free. */
export async function chargeFee(
  { funds, fees }: Deps,
  tx: Transaction,
  { organization_id, id, kind }: Ref & { kind: VerificationKind },
): Promise<void> {
  if (fees[kind] === 0) return;
  const price_micros = fees[kind] * 10_000;
  const charge = { item: 'registration', quantity: 1, reference: id, price_micros } as const;
  if ((await funds.charge(tx, organization_id, charge)) === 'insufficient_funds')
    throw new ApiError('insufficient_funds');
}

export async function enqueueAdvance({ jobs }: Deps, tx: Transaction, { organization_id, id }: Ref) {
  await jobs.enqueue(tx, {
    kind: advance_job,
    payload: { organization_id, id },
    unique_key: `${advance_job}:${id}`,
    replace: true,
  });
  tx.afterCommit(() => jobs.wake());
}

/** The brand of a campaign and the number of a toll-free verification, which must fit. */
export async function relatedObjects(
  deps: Deps,
  organization_id: string,
  carrier: GuardedCarrier,
  kind: VerificationKind,
  request: { brand_verification_id?: string | null | undefined; number_id?: string | null | undefined },
): Promise<{ brand: Progress | null; e164: string | null }> {
  if (kind === 'us_campaign') {
    const brand =
      request.brand_verification_id == null
        ? null
        : await deps.store.find(organization_id, request.brand_verification_id);
    const fits = brand?.kind === 'us_brand' && brand.state === 'approved' && brand.provider === carrier.name;
    if (!fits) throw new ApiError('brand_required', { path: 'body.brand_verification_id' });
    return { brand: brand.progress, e164: null };
  }
  if (kind !== 'toll_free') return { brand: null, e164: null };
  const number = request.number_id == null ? null : await deps.findNumber(organization_id, request.number_id);
  const fits = number?.is_active && number.number_type === 'toll_free' && number.provider === carrier.name;
  if (!fits) {
    throw validationError([
      {
        path: 'body.number_id',
        message: 'Expected an active toll-free number of yours at the active carrier',
        code: 'invalid_value',
      },
    ]);
  }
  return { brand: null, e164: number.e164 };
}

const newRow = (
  deps: Deps,
  organization_id: string,
  provider: string,
  request: VerificationCreate,
): NewVerification => {
  const { kind = 'number' } = request;
  return {
    ...emptyDraft(deps, organization_id, provider, { ...request, kind }),
    use_case: request.use_case ?? null,
    number_id: kind === 'toll_free' ? (request.number_id ?? null) : null,
    brand_verification_id: kind === 'us_campaign' ? (request.brand_verification_id ?? null) : null,
  };
};

const givenAnswers = (answers: Record<string, Answer | null>): Record<string, Answer> =>
  Object.fromEntries(
    Object.entries(answers).filter(
      (entry): entry is [string, Answer] => entry[1] !== null && entry[1] !== '',
    ),
  );

/** Refuses answers that the carrier does not ask for, or that cannot be right. */
export function checkAnswers(
  answers: Readonly<Record<string, Answer>>,
  requirements: readonly Requirement[],
): void {
  const problems = Object.entries(answers).flatMap(([key, answer]) => {
    const message = answerProblem(
      requirements.find((each) => each.key === key),
      answer,
    );
    return message ? [{ path: `body.answers.${key}`, message, code: 'invalid_value' as const }] : [];
  });
  if (problems.length > 0) throw validationError(problems);
}
