// The kill switch: a superadmin stops a whole channel on every process within a second.
import { type Channel, channels, type KillSwitch, type KillSwitchPatch } from '@parley/contract/access/admin';
import type { Clock } from '../../../platform/clock.ts';
import type { Database } from '../../../platform/db/database.ts';
import type { Context } from '../../../platform/http/context.ts';
import { ttlCache } from '../../../platform/ttl-cache.ts';
import { type AuditLog, actorOf } from '../../access/audit/index.ts';
import { requireRight } from '../../access/rule-inputs/index.ts';
import type { LimitStore } from './store.ts';

/** The kill switch must apply on every process within a second; half of that leaves time for the request itself. */
export const switch_age_ms = 500;

export function killSwitches(deps: {
  db: Database;
  clock: Clock;
  audit: AuditLog;
  store: LimitStore;
  /** Called after this process changed the kill switch. */
  onSwitch?(now: KillSwitch): void;
}) {
  const { db, clock, audit, store } = deps;
  const cached = ttlCache({ load: () => store.killSwitch(), max_age_ms: switch_age_ms });

  return {
    /** At most half a second old. Never call it inside a transaction: it may need a connection of its own. */
    isStopped(channel: Channel): boolean | Promise<boolean> {
      const state = cached.get();
      return state instanceof Promise ? state.then((now) => now[channel]) : state[channel];
    },

    killSwitch: (): Promise<KillSwitch> => store.killSwitch(),

    async setKillSwitch(context: Context, patch: KillSwitchPatch): Promise<KillSwitch> {
      for (const channel of channels)
        requireRight(context.caller, 'kill_switches.stopped', {
          is_stricter: patch[channel] !== false,
          path: `body.${channel}`,
          detail: 'Only the operator releases the kill switch.',
        });
      await db.transaction(async (tx) => {
        await store.setKillSwitch(tx, patch, clock.now());
        await audit.write(tx, actorOf(context), {
          organization_id: null,
          action: 'kill_switch.changed',
          object_id: null,
          detail: patch,
        });
        tx.afterCommit(() => cached.forget());
      });
      const now = await store.killSwitch();
      deps.onSwitch?.(now);
      return now;
    },
  };
}
