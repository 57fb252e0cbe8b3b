// Buys and releases numbers. A purchase is stored before the carrier is called, so that a crash cannot lose a bought number.
import type { PhoneNumber } from '@parley/contract/numbers';
import { ApiError } from '../../platform/http/api-error.ts';
import type { IdempotentRequest } from '../../platform/idempotency.ts';
import type { Ids } from '../../platform/ids.ts';
import type { Jobs } from '../../platform/jobs.ts';
import type { Quote } from './quote-store.ts';
import {
  failureOf,
  registerMissing,
  type SettleDeps,
  type SettlePayload,
  settle,
  settleLater,
} from './settle.ts';
import type { HeldNumber } from './store.ts';

export const settle_job = 'settle_number';
const first_settle_seconds = 60;

type Deps = SettleDeps & { ids: Ids; enqueue: Jobs['enqueue'] };
type Purchase = {
  /** Already checked; it says the number and its price. */
  quote: Quote;
  verification_reference: string | null;
  request: { idempotency: IdempotentRequest | null; request_id: string };
};

export const numberPurchase = (deps: Deps) => ({
  buy: (organization_id: string, purchase: Purchase) => buy(deps, organization_id, purchase),
  settleLater: (payload: SettlePayload) => settleLater(deps, payload),
  release: (organization_id: string, id: string) => release(deps, organization_id, id),
  registerMissing: () => registerMissing(deps),
});
export type NumberPurchase = ReturnType<typeof numberPurchase>;

async function buy(deps: Deps, organization_id: string, purchase: Purchase): Promise<PhoneNumber> {
  const { store, clock, idempotency } = deps;
  const { request } = purchase;
  await deps.charge.requireFunds(organization_id);
  const number = pendingNumber(deps, organization_id, purchase);
  const key = request.idempotency?.row(null) ?? null;
  const payload: SettlePayload = {
    organization_id,
    number_id: number.id,
    request_id: request.request_id,
    key,
  };
  const is_stored = await store.insert(organization_id, number, key, (tx) =>
    deps.enqueue(tx, {
      kind: settle_job,
      payload,
      unique_key: `settle:${number.id}`,
      run_at: new Date(clock.ms() + first_settle_seconds * 1000),
    }),
  );
  if (!is_stored) throw new ApiError('number_taken');
  const settled = await settle(deps, payload, false);
  if (settled.state === 'failed') throw failureOf(settled.reason);
  if (settled.state === 'pending' && key)
    await idempotency.remember(deps.db, { ...key, status: 201, body: JSON.stringify(settled.number) });
  return settled.number;
}

function pendingNumber(
  { clock, ids }: Deps,
  organization_id: string,
  { quote, verification_reference }: Purchase,
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
    is_dedicated: true,
    messaging_service_sid: null,
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
    verification_reference,
  };
}

async function release(
  { db, store, carriers, clock }: Deps,
  organization_id: string,
  id: string,
): Promise<PhoneNumber> {
  const number = await store.findHeld(organization_id, id);
  if (!number) throw new ApiError('not_found');
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
