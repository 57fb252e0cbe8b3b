// The pool of shared numbers: lends one to a call, takes it back, and frees those whose call was forgotten.
import type { PoolNumber, PoolNumberCreate } from '@parley/contract/pool-numbers';
import type { Clock } from '../../platform/clock.ts';
import type { Database, Queryable } from '../../platform/db/database.ts';
import type { PageRequest } from '../../platform/db/page.ts';
import { ApiError, validationError } from '../../platform/http/api-error.ts';
import type { Ids } from '../../platform/ids.ts';
import type { Log } from '../../platform/log.ts';
import type { GuardedCarriers } from '../admission/index.ts';
import { countryOf } from './phone-rules.ts';
import { poolStore } from './pool-store.ts';

export function poolService(deps: {
  db: Database;
  carriers: GuardedCarriers;
  clock: Clock;
  ids: Ids;
  log: Log;
  grace_seconds: number;
  /** Which of these calls are not over: those free their number themselves. */
  openCalls(call_ids: string[]): Promise<Set<string>>;
}) {
  const { db, carriers, clock, ids, log } = deps;
  const store = poolStore(db);

  const make = (given: PoolNumberCreate & { provider: string }): PoolNumber => {
    const now = clock.now().toISOString();
    return {
      id: ids.next(),
      provider: given.provider,
      e164: given.e164,
      country_code: countryOf(given.e164) ?? 'US',
      number_type: given.number_type ?? 'local',
      capabilities: ['voice'],
      provisioning_state: 'active',
      is_dedicated: false,
      bound_call_id: null,
      bound_at: null,
      created_at: now,
      updated_at: now,
    };
  };

  return {
    async add(given: PoolNumberCreate): Promise<PoolNumber> {
      const carrier = given.provider ? carriers.byName(given.provider) : carriers.active;
      if (given.provider && !carrier) {
        throw validationError([
          { path: 'body.provider', message: 'This server has no such carrier', code: 'invalid_value' },
        ]);
      }
      if (!carrier) throw new ApiError('carrier_not_configured');
      const added = await store.add(make({ ...given, provider: carrier.name }));
      if (!added) throw new ApiError('number_taken');
      return added;
    },

    /** Makes sure that these stand ready; those that are there keep their state. */
    async seed(provider: string, e164s: readonly string[]): Promise<void> {
      for (const e164 of e164s) await store.add(make({ e164, provider }));
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

    /** What the carrier calls the call, so that the sweeper can ask about it. */
    noteCarrierCall: (tx: Queryable, call_id: string, carrier_call_id: string) =>
      store.noteCarrierCall(tx, call_id, carrier_call_id),

    /** Nothing happens when the call holds none. */
    releasePoolNumber: (tx: Queryable, call_id: string) => store.release(tx, call_id, clock.now()),

    /** Frees numbers bound for longer than the grace window, unless the carrier says that the call still runs. */
    async sweep(): Promise<number> {
      let freed = 0;
      const before = new Date(clock.ms() - deps.grace_seconds * 1000);
      const bindings = await store.boundBefore(before);
      const open = await deps.openCalls(bindings.map((binding) => binding.bound_call_id));
      for (const binding of bindings) {
        const { bound_call_id, carrier_call_id } = binding;
        if (open.has(bound_call_id)) continue;
        const carrier = carriers.byName(binding.provider);
        if (carrier_call_id !== null && carrier) {
          const call = await carrier.callState(carrier_call_id);
          // No news is not an ending: the number stays bound until the carrier can be asked.
          if (call.outcome !== 'ended') continue;
        }
        freed += await store.release(db, bound_call_id, clock.now());
        log.warn({ pool_number_id: binding.id, call_id: bound_call_id }, 'a stuck pool number was freed');
      }
      return freed;
    },
  };
}
export type PoolService = ReturnType<typeof poolService>;
