// Buys and releases numbers. A purchase is stored before the carrier is called, so that a crash cannot lose a bought number.
import type { PhoneNumber } from '@parley/contract/channels/numbers/numbers';
import type { Transaction } from '../../../../platform/db/database.ts';
import { ApiError } from '../../../../platform/http/api-error.ts';
import { type IdempotentRequest, isKeyTaken, storedAnswer } from '../../../../platform/idempotency.ts';
import type { Ids } from '../../../../platform/ids.ts';
import type { CarrierEvent, NumberOrder } from '../../../../providers/carrier/carrier.ts';
import { default_terms, principalOf, type SendingCaller } from '../../../rules/admission/index.ts';
import type { Quote } from '../pool/quote-store.ts';
import type { HeldNumber } from '../store.ts';
import { type AllowedPurchase, admitPurchase } from './purchase-rules.ts';
import {
  failureOf,
  handleOrderEvents,
  registerMissing,
  type SettlePayload,
  settle,
  settle_job,
  settleLater,
  settleReviewed,
} from './settle.ts';
import {
  cancelWaiting,
  mayBuyApproved,
  type WaitingPurchaseDeps,
  waitingNumbers,
} from './waiting-purchase.ts';

const first_settle_seconds = 60;

type Deps = WaitingPurchaseDeps & { ids: Ids };
type Purchase = {
  /** Already checked; it says the number and its price. */
  quote: Quote;
  verification: NumberOrder['verification'];
  request: { idempotency: IdempotentRequest | null; request_id: string; caller: SendingCaller };
};

export const numberPurchase = (deps: Deps) => ({
  buy: (organization_id: string, purchase: Purchase) => buy(deps, organization_id, purchase),
  async settleLater(payload: SettlePayload): Promise<void> {
    const number = await deps.store.findHeld(payload.organization_id, payload.number_id);
    if (number && (await mayBuyApproved(deps, number))) await settleLater(deps, payload);
  },
  settleReviewed: (number: { organization_id: string; number_id: string }) => settleReviewed(deps, number),
  handleEvents: (carrier: string, events: CarrierEvent[]) => handleOrderEvents(deps, carrier, events),
  waiting_numbers: waitingNumbers(deps),
  release: (organization_id: string, id: string) => release(deps, organization_id, id),
  registerMissing: () => registerMissing(deps),
});
export type NumberPurchase = ReturnType<typeof numberPurchase>;

/** Null: the number is held by somebody else, and nothing was stored. */
async function buy(deps: Deps, organization_id: string, purchase: Purchase): Promise<PhoneNumber | null> {
  const number = pendingNumber(deps, organization_id, purchase);
  const terms = { ...default_terms, principal: principalOf(purchase.request.caller) };
  const allowed = await admitPurchase(deps, 'create', number, terms);
  if (allowed.hold) return storeWaiting(deps, { ...number, hold: allowed.hold, terms }, purchase, allowed);
  const { counted } = allowed;
  return buyNow(deps, { ...number, terms: counted.length > 0 ? { ...terms, counted } : null }, purchase);
}

/** The carrier is asked after a person has approved it; until then the number may be sold to somebody else. */
async function storeWaiting(
  deps: Deps,
  number: HeldNumber,
  { request }: Purchase,
  { commit }: AllowedPurchase,
): Promise<PhoneNumber | null> {
  const {
    provider_number_id: _,
    verification_reference: __,
    address_reference: ___,
    campaign_verification_id: ____,
    terms: _____,
    ...record
  } = number;
  const key = request.idempotency?.row({ status: 201, body: record }) ?? null;
  const also = async (tx: Transaction) => commit?.(tx);
  return (await deps.store.insert(number.organization_id, number, key, also)) ? record : null;
}

/** Once it is stored, close() gives back what budgets counted when the carrier refuses. */
async function storePending(deps: Deps, number: HeldNumber, payload: SettlePayload): Promise<boolean> {
  const { store, clock, budgets } = deps;
  const enqueueSettle = (tx: Transaction) =>
    deps.enqueue(tx, {
      kind: settle_job,
      payload,
      unique_key: `settle:${number.id}`,
      run_at: new Date(clock.ms() + first_settle_seconds * 1000),
    });
  const giveBack = () => budgets.giveBack(number.terms?.counted ?? []);
  try {
    const is_stored = await store.insert(number.organization_id, number, payload.key, enqueueSettle);
    if (!is_stored) await giveBack();
    return is_stored;
  } catch (error) {
    // Not stored for certain; after any other error it may have been, and stays counted.
    if (error instanceof ApiError || isKeyTaken(error)) await giveBack();
    throw error;
  }
}

async function buyNow(deps: Deps, number: HeldNumber, { request }: Purchase): Promise<PhoneNumber | null> {
  const { idempotency } = deps;
  const { organization_id } = number;
  const key = request.idempotency?.row(null) ?? null;
  const payload: SettlePayload = {
    organization_id,
    number_id: number.id,
    request_id: request.request_id,
    key,
  };
  const is_stored = await storePending(deps, number, payload);
  if (!is_stored) return null;
  const settled = await settle(deps, payload, false);
  if (settled.state === 'failed') throw failureOf(settled.reason);
  if (settled.state === 'pending' && key)
    await idempotency.remember(deps.db, storedAnswer(key, { status: 201, body: settled.number }));
  return settled.number;
}

function pendingNumber(
  { clock, ids }: Deps,
  organization_id: string,
  { quote, verification }: Purchase,
): HeldNumber {
  const now = clock.now().toISOString();
  return {
    id: ids.next(),
    organization_id,
    provider: quote.provider,
    e164: quote.e164!,
    country_code: quote.country_code,
    number_type: quote.number_type,
    capabilities: quote.capabilities,
    provisioning_state: 'pending',
    failure_reason: null,
    provisioning_detail: null,
    hold: null,
    terms: null,
    is_dedicated: true,
    messaging_service_sid: null,
    sms_registration: { state: 'unknown', verification_id: null, reason: null },
    voice_agent_id: null,
    sms_agent_id: null,
    inbound_registered: false,
    monthly_cents: quote.monthly_cents,
    setup_cents: quote.setup_cents,
    currency: quote.currency,
    created_at: now,
    updated_at: now,
    released_at: null,
    provider_number_id: null,
    verification_reference: verification?.reference ?? null,
    address_reference: verification?.address_reference ?? null,
    campaign_verification_id: null,
  };
}

async function release(deps: Deps, organization_id: string, id: string): Promise<PhoneNumber> {
  const { db, store, carriers, clock } = deps;
  const number = await store.findHeld(organization_id, id);
  if (!number) throw new ApiError('not_found');
  const canceled = number.hold && (await cancelWaiting(deps, { organization_id, id }));
  if (canceled) return canceled;
  if (number.provisioning_state !== 'active') throw new ApiError('number_not_active');
  const carrier = carriers.byName(number.provider);
  if (!carrier) throw new ApiError('carrier_not_configured');
  const done = await carrier.numbers.release({
    provider_number_id: number.provider_number_id!,
    e164: number.e164,
  });
  // Releasing twice does no harm, so the client may repeat a request whose result is uncertain.
  if (done.outcome !== 'done') throw new ApiError('carrier_unavailable', { retry_after_seconds: 5 });
  const now = clock.now();
  const released = await db.transaction((tx) =>
    store.move(tx, organization_id, id, 'released', {
      released_at: now,
      updated_at: now,
      inbound_registered: false,
      voice_agent_id: null,
      sms_agent_id: null,
    }),
  );
  return released ?? (await store.find(organization_id, id))!;
}
