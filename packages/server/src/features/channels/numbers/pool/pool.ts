// The pool of shared numbers: binds one to a call, releases it after the call, and frees numbers that stayed bound.
import type { PoolNumber, PoolNumberCreate } from '@parley/contract/channels/numbers/pool-numbers';
import type { Clock } from '../../../../platform/clock.ts';
import type { Database, Queryable } from '../../../../platform/db/database.ts';
import type { PageRequest } from '../../../../platform/db/page.ts';
import { ApiError, validationError } from '../../../../platform/http/api-error.ts';
import type { Ids } from '../../../../platform/ids.ts';
import type { Log } from '../../../../platform/log.ts';
import type { GuardedCarriers } from '../../../rules/admission/index.ts';
import { countryOf } from '../phone-rules.ts';
import { type PoolStore, poolStore } from './pool-store.ts';

type Deps = {
  db: Database;
  carriers: GuardedCarriers;
  clock: Clock;
  ids: Ids;
  log: Log;
  grace_seconds: number;
  /** Which of these calls have not ended: those release their number themselves. */
  openCalls(call_ids: string[]): Promise<Set<string>>;
};

export function poolService(deps: Deps) {
  const { db, carriers, clock } = deps;
  const store = poolStore(db);

  return {
    async add(input: PoolNumberCreate): Promise<PoolNumber> {
      const carrier = input.provider ? carriers.byName(input.provider) : carriers.active;
      if (input.provider && !carrier) {
        throw validationError([
          { path: 'body.provider', message: 'This server has no such carrier', code: 'invalid_value' },
        ]);
      }
      if (!carrier) throw new ApiError('carrier_not_configured');
      const added = await store.add(newNumber(deps, { ...input, provider: carrier.name }));
      if (!added) throw new ApiError('number_taken');
      return added;
    },

    /** Adds the numbers that are missing; numbers in the pool keep their state. */
    async seed(provider: string, e164s: readonly string[]): Promise<void> {
      for (const e164 of e164s) await store.add(newNumber(deps, { e164, provider }));
    },

    list: (page: PageRequest) => store.list(page),

    async setState(id: string, state: PoolNumber['provisioning_state']): Promise<PoolNumber> {
      const number = await store.setState(id, state, clock.now());
      if (!number) throw new ApiError('not_found');
      return number;
    },

    /** A number for this call and no other, or null when all are in use. A repeated claim gets the same number. */
    claimPoolNumber: (tx: Queryable, call_id: string) =>
      store.claim(
        tx,
        call_id,
        carriers.names().filter((name) => carriers.byName(name)!.voice !== null),
        clock.now(),
      ),

    /** Stores the carrier's id of the call, so that the sweeper can ask about it. */
    noteCarrierCall: (tx: Queryable, call_id: string, carrier_call_id: string) =>
      store.noteCarrierCall(tx, call_id, carrier_call_id),

    /** A no-op when the call holds no number. */
    releasePoolNumber: (tx: Queryable, call_id: string) => store.release(tx, call_id, clock.now()),

    sweep: () => sweep(deps, store),
  };
}
export type PoolService = ReturnType<typeof poolService>;

function newNumber({ clock, ids }: Deps, input: PoolNumberCreate & { provider: string }): PoolNumber {
  const now = clock.now().toISOString();
  return {
    id: ids.next(),
    provider: input.provider,
    e164: input.e164,
    country_code: countryOf(input.e164) ?? 'US',
    number_type: input.number_type ?? 'local',
    capabilities: ['voice'],
    provisioning_state: 'active',
    is_dedicated: false,
    bound_call_id: null,
    bound_at: null,
    created_at: now,
    updated_at: now,
  };
}

/** Frees numbers that have been bound for longer than the grace time, unless the carrier reports that the call still runs. */
async function sweep({ db, carriers, clock, log, ...deps }: Deps, store: PoolStore): Promise<number> {
  let freed = 0;
  const bindings = await store.boundBefore(new Date(clock.ms() - deps.grace_seconds * 1000));
  const open = await deps.openCalls(bindings.map((binding) => binding.bound_call_id));
  for (const binding of bindings) {
    const { bound_call_id, carrier_call_id } = binding;
    if (open.has(bound_call_id)) continue;
    const carrier = carriers.byName(binding.provider);
    if (carrier_call_id !== null && carrier) {
      const call = await carrier.callState(carrier_call_id);
      // While the carrier cannot be reached, the number stays bound.
      if (call.outcome !== 'ended') continue;
    }
    freed += await store.release(db, bound_call_id, clock.now());
    log.warn({ pool_number_id: binding.id, call_id: bound_call_id }, 'freed a stuck pool number');
  }
  return freed;
}
