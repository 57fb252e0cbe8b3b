// Settles a pending purchase: asks the carrier until it is certain whether the number was bought.
import type { PhoneNumber } from '@parley/contract/channels/numbers/numbers';
import type { Clock } from '../../../../platform/clock.ts';
import type { Database } from '../../../../platform/db/database.ts';
import { ApiError } from '../../../../platform/http/api-error.ts';
import { problemAnswer } from '../../../../platform/http/problem.ts';
import { type Idempotency, type IdempotencyRow, storedAnswer } from '../../../../platform/idempotency.ts';
import type { Jobs } from '../../../../platform/jobs.ts';
import type { Log } from '../../../../platform/log.ts';
import type { CarrierEvent, NumberOrder, OrderReview } from '../../../../providers/carrier/carrier.ts';
import type { GuardedCarrier, GuardedCarriers } from '../../../rules/admission/index.ts';
import type { Budgets } from '../../../rules/budgets/index.ts';
import { sync_sms_job, type VerificationService } from '../../verifications/index.ts';
import type { MonthlyCharge } from '../charges/monthly-charge.ts';
import type { HeldNumber, NumberStore } from '../store.ts';

export type SettlePayload = {
  organization_id: string;
  number_id: string;
  request_id: string;
  key: IdempotencyRow | null;
};

export type SettleDeps = {
  db: Database;
  store: NumberStore;
  carriers: GuardedCarriers;
  clock: Clock;
  log: Log;
  idempotency: Idempotency;
  charge: MonthlyCharge;
  budgets: Pick<Budgets, 'giveBack'>;
  enqueue: Jobs['enqueue'];
  verifications: Pick<VerificationService, 'revoke'>;
};

type FailureReason = 'taken' | 'refused' | 'verification_required';

type Settled =
  | { state: 'active'; number: PhoneNumber }
  | { state: 'failed'; reason: FailureReason }
  | { state: 'pending'; number: PhoneNumber; is_reviewed: boolean };

type Ending =
  | { provider_number_id: string; inbound_registered: boolean }
  | { reason: FailureReason; failure_reason: string };

export const settle_job = 'settle_number';
export const settle_reviewed_job = 'settle_reviewed_number';
/** While a purchase is pending for less time, the job asks with a short backoff. */
const frequent_hours = 24;
const later_seconds = 3600;

const failure_codes = {
  taken: 'number_taken',
  refused: 'number_purchase_failed',
  verification_required: 'verification_required',
} as const;
export const failureOf = (reason: FailureReason) => new ApiError(failure_codes[reason]);

/**
 * Ends the pending state. `may_be_bought`: an earlier attempt may have reached the carrier, so look there first; a number
 * whose purchase was not confirmed is adopted, not bought again.
 */
export async function settle(
  deps: SettleDeps,
  payload: SettlePayload,
  may_be_bought: boolean,
): Promise<Settled> {
  const { store, log } = deps;
  const { organization_id, number_id } = payload;
  const record = async () => (await store.find(organization_id, number_id))!;
  const number = (await store.findHeld(organization_id, number_id))!;
  if (number.provisioning_state === 'failed') return { state: 'failed', reason: 'refused' };
  if (number.provisioning_state !== 'pending') return { state: 'active', number: await record() };
  const carrier = deps.carriers.byName(number.provider);
  // Only the carrier knows whether an earlier attempt bought the number.
  if (!carrier && may_be_bought) return { state: 'pending', number: await record(), is_reviewed: false };
  if (!carrier) throw new Error(`the carrier ${number.provider} is not set up`);
  const result = await buyOrFind(carrier, orderOf(number), may_be_bought);
  switch (result.outcome) {
    case 'bought': {
      const { provider_number_id } = result;
      const inbound_registered = await registerInbound(deps, carrier, number, provider_number_id);
      return close(deps, payload, { provider_number_id, inbound_registered });
    }
    case 'taken':
      return close(deps, payload, {
        reason: 'taken',
        failure_reason: 'The number was sold to another customer.',
      });
    case 'refused':
      log.warn({ number_id, code: result.code }, 'purchase refused by the carrier');
      return close(deps, payload, refusalOf(result));
    case 'pending':
      if (result.review) await reviewed(deps, number, result.review);
      return { state: 'pending', number: await record(), is_reviewed: result.review !== undefined };
    default:
      return { state: 'pending', number: await record(), is_reviewed: false };
  }
}

/** A carrier may ask for more than its offer said. */
const refusalOf = (result: {
  outcome: 'refused';
  needs_verification?: true;
}): Extract<Ending, { reason: FailureReason }> =>
  result.needs_verification
    ? {
        reason: 'verification_required',
        failure_reason: 'The carrier wants an approved verification with an address that fits this number.',
      }
    : { reason: 'refused', failure_reason: 'The carrier refused to sell the number.' };

/** For the job: throws while the number is pending, so that the job is tried again; after a day it is asked every hour. */
export async function settleLater(deps: SettleDeps, payload: SettlePayload): Promise<void> {
  const settled = await settle(deps, payload, true);
  if (settled.state !== 'pending') return;
  // An order that is under review stays so while the carrier does not answer.
  if (settled.is_reviewed || settled.number.provisioning_detail !== null) return askLater(deps, payload);
  // Changed last by the approval, for a number that waited for one.
  const age_ms = deps.clock.ms() - Date.parse(settled.number.updated_at);
  if (age_ms <= frequent_hours * 3_600_000) throw new Error('the purchase is still pending at the carrier');
  const { id: number_id, provider } = settled.number;
  deps.log.error(
    { number_id, provider },
    'purchase still pending after a day; the carrier is asked every hour',
  );
  return askLater(deps, payload);
}

/** A callback is only a hint: the order is read at the carrier. */
export async function handleOrderEvents(
  { db, store, enqueue }: SettleDeps,
  carrier: string,
  events: CarrierEvent[],
): Promise<void> {
  for (const event of events) {
    if (event.kind !== 'registration_changed') continue;
    const number = await store.reviewed(carrier, event.reference);
    if (!number) continue;
    const payload = { organization_id: number.organization_id, number_id: number.id };
    const unique_key = `settle-reviewed:${number.id}`;
    // A run that is in progress may have read the order before this change.
    await enqueue(db, { kind: settle_reviewed_job, payload, unique_key, replace: true });
  }
}

/** After such a hint. The job that asks every hour stays. */
export async function settleReviewed(
  deps: SettleDeps,
  { organization_id, number_id }: { organization_id: string; number_id: string },
): Promise<void> {
  const number = await deps.store.findHeld(organization_id, number_id);
  if (number?.provisioning_state !== 'pending' || number.provisioning_detail === null) return;
  await settle(deps, { organization_id, number_id, request_id: '', key: null }, true);
}

/** A review lasts days, and the carrier may have sold a number whose purchase is uncertain: it is asked without an end. */
const askLater = (deps: SettleDeps, payload: SettlePayload) =>
  deps.enqueue(deps.db, {
    kind: settle_job,
    payload,
    unique_key: `settle:${payload.number_id}`,
    run_at: new Date(deps.clock.ms() + later_seconds * 1000),
    replace: true,
  });

/** Says why the purchase still waits. A review that finds the verification wrong ends its approval. */
async function reviewed(
  { store, verifications }: SettleDeps,
  number: HeldNumber,
  { detail, problems }: OrderReview,
): Promise<void> {
  const { organization_id, provider, verification_reference: reference } = number;
  await store.setDetail(organization_id, number.id, detail);
  if (problems && problems.length > 0 && reference)
    await verifications.revoke({ organization_id, provider, reference }, problems);
}

/** Tells the carrier where to send calls and texts. A failure is repeated by registerMissing(). */
async function registerInbound(
  { log }: SettleDeps,
  carrier: GuardedCarrier,
  number: HeldNumber,
  provider_number_id: string,
): Promise<boolean> {
  const done = await carrier.numbers.registerInbound({ provider_number_id, e164: number.e164 });
  if (done.outcome === 'done') return true;
  log.warn({ number_id: number.id, outcome: done.outcome }, 'cannot register the number at the carrier');
  return false;
}

/** Repeats the registrations that have failed. */
export async function registerMissing(deps: SettleDeps): Promise<void> {
  const { store, carriers, clock } = deps;
  for (const { organization_id, id } of await store.unregistered(100)) {
    const number = await store.findHeld(organization_id, id);
    const carrier = number && carriers.byName(number.provider);
    if (carrier && (await registerInbound(deps, carrier, number, number.provider_number_id!))) {
      await store.registered(organization_id, id, clock.now());
    }
  }
}

const orderOf = (number: HeldNumber): NumberOrder => ({
  reference: number.id,
  e164: number.e164,
  verification: number.verification_reference
    ? { reference: number.verification_reference, address_reference: number.address_reference }
    : null,
});

async function buyOrFind({ numbers }: GuardedCarrier, order: NumberOrder, may_be_bought: boolean) {
  let result = may_be_bought ? await numbers.findPurchase(order) : { outcome: 'absent' as const };
  if (result.outcome === 'absent') result = await numbers.buy(order);
  // The response was lost: the number may have been bought.
  return result.outcome === 'lost' ? numbers.findPurchase(order) : result;
}

/** Ends the pending state and completes the idempotency key in one commit. Safe to repeat: a settled number stays. */
const close = (
  { db, store, clock, charge, budgets, idempotency, enqueue }: SettleDeps,
  { organization_id, number_id, key, request_id }: SettlePayload,
  ending: Ending,
) =>
  db.transaction(async (tx): Promise<Settled> => {
    const updated_at = clock.now();
    const is_bought = 'provider_number_id' in ending;
    const moved = is_bought
      ? await store.move(tx, organization_id, number_id, 'provisioned', {
          ...ending,
          provisioning_detail: null,
          updated_at,
        })
      : await store.move(tx, organization_id, number_id, 'refused', {
          failure_reason: ending.failure_reason,
          updated_at,
        });
    if (is_bought && moved) {
      await charge.begin(tx, organization_id, number_id);
      const unique_key = `${sync_sms_job}:${organization_id}`;
      await enqueue(tx, { kind: sync_sms_job, payload: { organization_id }, unique_key, replace: true });
    }
    if (!is_bought && moved) {
      const refused = await store.findHeld(organization_id, number_id, tx);
      await budgets.giveBack(refused?.terms?.counted ?? [], tx);
    }
    if (key && moved) {
      const answer = is_bought
        ? { status: 201, body: moved }
        : problemAnswer(failureOf(ending.reason), request_id);
      await idempotency.remember(tx, storedAnswer(key, answer));
    }
    if (!is_bought) return { state: 'failed', reason: ending.reason };
    return { state: 'active', number: moved ?? (await store.find(organization_id, number_id, tx))! };
  });
