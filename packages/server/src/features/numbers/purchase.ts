// Buying and releasing numbers: written down before the carrier is asked, settled afterwards however the asking ended.
import type { PhoneNumber } from '@parley/contract/numbers';
import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/db/database.ts';
import { ApiError } from '../../platform/http/api-error.ts';
import { problemResponse } from '../../platform/http/problem.ts';
import type { Idempotency, IdempotencyRow, IdempotentRequest } from '../../platform/idempotency.ts';
import type { Ids } from '../../platform/ids.ts';
import type { Jobs } from '../../platform/jobs.ts';
import type { Log } from '../../platform/log.ts';
import type { NumberOrder } from '../../providers/carrier/carrier.ts';
import type { GuardedCarrier, GuardedCarriers } from '../admission/index.ts';
import type { MonthlyCharge } from './monthly-charge.ts';
import type { HeldNumber, NumberStore, Quote } from './store.ts';

export const settle_job = 'settle_number';
const first_settle_seconds = 60;
const give_up_hours = 24;

export type SettlePayload = {
  organization_id: string;
  number_id: string;
  request_id: string;
  key: IdempotencyRow | null;
};

type Settled =
  | { state: 'active'; number: PhoneNumber }
  | { state: 'failed'; reason: 'taken' | 'refused' }
  | { state: 'pending'; number: PhoneNumber };

export function numberPurchase(deps: {
  db: Database;
  store: NumberStore;
  carriers: GuardedCarriers;
  clock: Clock;
  ids: Ids;
  log: Log;
  idempotency: Idempotency;
  enqueue: Jobs['enqueue'];
  charge: MonthlyCharge;
}) {
  const { db, store, clock, log } = deps;

  const orderOf = (number: HeldNumber): NumberOrder => ({
    reference: number.id,
    e164: number.e164,
    verification_reference: number.verification_reference,
  });

  const failureOf = (reason: 'taken' | 'refused') =>
    reason === 'taken' ? new ApiError('number_taken') : new ApiError('number_purchase_failed');

  /** Ends the pending state and answers the idempotency key in one commit. Safe to repeat: a settled number stays. */
  const close = (
    { organization_id, number_id, key, request_id }: SettlePayload,
    ending:
      | { provider_number_id: string; inbound_registered: boolean }
      | { reason: 'taken' | 'refused'; failure_reason: string },
  ) =>
    db.transaction(async (tx): Promise<Settled> => {
      const now = clock.now();
      const bought = 'provider_number_id' in ending;
      const moved = bought
        ? await store.move(tx, organization_id, number_id, 'provisioned', {
            provider_number_id: ending.provider_number_id,
            inbound_registered: ending.inbound_registered,
            updated_at: now,
          })
        : await store.move(tx, organization_id, number_id, 'refused', {
            failure_reason: ending.failure_reason,
            updated_at: now,
          });
      if (bought && moved) await deps.charge.begin(tx, organization_id, number_id);
      if (key && moved) {
        const problem = bought ? null : problemResponse(failureOf(ending.reason), request_id);
        await deps.idempotency.remember(tx, {
          ...key,
          status: problem?.status ?? 201,
          body: problem?.body ?? JSON.stringify(moved),
        });
      }
      if (!bought) return { state: 'failed', reason: ending.reason };
      return { state: 'active', number: moved ?? (await store.find(organization_id, number_id, tx))! };
    });

  /** Tells the carrier where to send calls and texts; what fails now the sweeper repeats. */
  const register = async (
    carrier: GuardedCarrier,
    number: HeldNumber,
    provider_number_id: string,
  ): Promise<boolean> => {
    const done = await carrier.numbers.registerInbound({ provider_number_id, e164: number.e164 });
    if (done.outcome === 'done') return true;
    log.warn(
      { number_id: number.id, outcome: done.outcome },
      'the carrier was not told where to send this number',
    );
    return false;
  };

  /**
   * Brings a pending number to its end. `look` comes first whenever an earlier attempt may have reached the carrier:
   * a number bought by an answer that was lost is adopted, not bought again.
   */
  const settle = async (payload: SettlePayload, look: boolean): Promise<Settled> => {
    const { organization_id, number_id } = payload;
    const record = async () => (await store.find(organization_id, number_id))!;
    const number = (await store.findHeld(organization_id, number_id))!;
    if (number.provisioning_state === 'failed') return { state: 'failed', reason: 'refused' };
    if (number.provisioning_state !== 'pending') return { state: 'active', number: await record() };
    const carrier = deps.carriers.byName(number.provider);
    if (!carrier) throw new Error(`the carrier ${number.provider} is not set up`);
    let result = look ? await carrier.numbers.findPurchase(orderOf(number)) : { outcome: 'absent' as const };
    if (result.outcome === 'absent') result = await carrier.numbers.buy(orderOf(number));
    // The answer was lost: the carrier may know more than we do.
    if (result.outcome === 'lost') result = await carrier.numbers.findPurchase(orderOf(number));
    switch (result.outcome) {
      case 'bought': {
        const { provider_number_id } = result;
        const inbound_registered = await register(carrier, number, provider_number_id);
        return close(payload, { provider_number_id, inbound_registered });
      }
      case 'taken':
        return close(payload, { reason: 'taken', failure_reason: 'The number was sold to somebody else.' });
      case 'refused':
        log.warn({ number_id, code: result.code }, 'the carrier refused a purchase');
        return close(payload, {
          reason: 'refused',
          failure_reason: 'The carrier refused to sell the number.',
        });
      default:
        return { state: 'pending', number: await record() };
    }
  };

  return {
    /** `quote` is checked already; the number and its price are the quote's. */
    async buy(
      organization_id: string,
      quote: Quote,
      verification_reference: string | null,
      request: { idempotency: IdempotentRequest | null; request_id: string },
    ): Promise<PhoneNumber> {
      await deps.charge.requireFunds(organization_id);
      const now = clock.now().toISOString();
      const number: HeldNumber = {
        id: deps.ids.next(),
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
      const key = request.idempotency?.row(null) ?? null;
      const payload: SettlePayload = {
        organization_id,
        number_id: number.id,
        request_id: request.request_id,
        key,
      };
      await db.transaction(async (tx) => {
        if (!(await store.insert(tx, number, key))) throw new ApiError('number_taken');
        await deps.enqueue(tx, {
          kind: settle_job,
          payload,
          unique_key: `settle:${number.id}`,
          run_at: new Date(clock.ms() + first_settle_seconds * 1000),
        });
      });
      const settled = await settle(payload, false);
      if (settled.state === 'failed') throw failureOf(settled.reason);
      if (settled.state === 'pending' && key) {
        await deps.idempotency.remember(db, { ...key, status: 201, body: JSON.stringify(settled.number) });
      }
      return settled.number;
    },

    /** Run by the job: throws while the number is still pending, so that it is tried again later. */
    async settleLater(payload: SettlePayload): Promise<void> {
      const settled = await settle(payload, true);
      if (settled.state !== 'pending') return;
      const age_ms = clock.ms() - Date.parse(settled.number.created_at);
      if (age_ms > give_up_hours * 3_600_000) {
        log.error({ number_id: payload.number_id }, 'a purchase is still pending after a day; it stays so');
        return;
      }
      throw new Error('the purchase is still pending at the carrier');
    },

    async release(organization_id: string, id: string): Promise<PhoneNumber> {
      const number = await store.findHeld(organization_id, id);
      if (!number) throw new ApiError('not_found');
      if (number.provisioning_state !== 'active') throw new ApiError('number_not_active');
      const carrier = deps.carriers.byName(number.provider);
      if (!carrier) throw new ApiError('carrier_not_configured');
      const done = await carrier.numbers.release({
        provider_number_id: number.provider_number_id!,
        e164: number.e164,
      });
      // Releasing twice does no harm, so an uncertain answer is simply the caller's to repeat.
      if (done.outcome !== 'done') throw new ApiError('carrier_unavailable', { retry_after_seconds: 5 });
      const released = await db.transaction((tx) => {
        const now = clock.now();
        return store.move(tx, organization_id, id, 'released', {
          released_at: now,
          updated_at: now,
          inbound_registered: false,
          voice_agent_id: null,
          sms_agent_id: null,
        });
      });
      return released ?? (await store.find(organization_id, id))!;
    },

    /** Repeats what the carrier was not told yet. */
    async registerMissing(): Promise<void> {
      for (const { organization_id, id } of await store.unregistered(100)) {
        const number = await store.findHeld(organization_id, id);
        const carrier = number && deps.carriers.byName(number.provider);
        if (carrier && (await register(carrier, number, number.provider_number_id!))) {
          await store.registered(organization_id, id, clock.now());
        }
      }
    },
  };
}
export type NumberPurchase = ReturnType<typeof numberPurchase>;
