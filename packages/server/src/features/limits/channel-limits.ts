// The kill switch and the caps an hour of organizations. Admission asks them; nothing else does.
import type { Channel, KillSwitch, KillSwitchPatch } from '@parley/contract/admin';
import type { Config } from '../../config/config.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database, Queryable, Transaction } from '../../platform/db/database.ts';
import { ApiError } from '../../platform/http/api-error.ts';
import type { Context } from '../../platform/http/context.ts';
import type { JobHandler } from '../../platform/jobs.ts';
import { keyedTtlCache, ttlCache } from '../../platform/ttl-cache.ts';
import { type AuditLog, actorOf } from '../audit/index.ts';
import { type Caps, limitStore } from './store.ts';
import { hour_ms, interval_ms, type Velocity, velocityOf } from './velocity.ts';

/** The kill switch must be felt everywhere within a second; half of it leaves time for the request itself. */
export const switch_age_ms = 500;
const caps_age_ms = 1000;
const max_organizations = 10_000;
const minute_ms = 60_000;

export function channelLimits(deps: {
  db: Database;
  clock: Clock;
  audit: AuditLog;
  /** Caps an hour of organizations of agent origin. */
  config: Pick<
    Config,
    'PARLEY_AGENT_CALLS_PER_HOUR' | 'PARLEY_AGENT_EMAILS_PER_HOUR' | 'PARLEY_AGENT_SMS_PER_HOUR'
  >;
  /** After the kill switch was changed by this process. */
  switched?(now: KillSwitch): void;
}) {
  const { db, clock, audit, config } = deps;
  const agent_caps: Record<Channel, number> = {
    calls: config.PARLEY_AGENT_CALLS_PER_HOUR,
    emails: config.PARLEY_AGENT_EMAILS_PER_HOUR,
    sms: config.PARLEY_AGENT_SMS_PER_HOUR,
  };
  const store = limitStore(db);
  const switches = ttlCache({ load: () => store.killSwitch(), max_age_ms: switch_age_ms });
  const caps = keyedTtlCache<Caps | null>({ max_age_ms: caps_age_ms, max_entries: max_organizations });

  const effective = (found: Caps | null, channel: Channel): number | null =>
    found && (found[channel] ?? (found.origin === 'agent' ? agent_caps[channel] : null));

  const velocity = async (
    on: Queryable,
    organization_id: string,
    channel: Channel,
    cap: number,
  ): Promise<Velocity> => {
    const now_ms = clock.ms();
    const counts = await store.counts(on, organization_id, channel, new Date(now_ms - hour_ms));
    return velocityOf(counts, cap, now_ms);
  };

  const cappedError = (channel: Channel, { limit, remaining, reset_seconds, ...rest }: Velocity) =>
    new ApiError('velocity_capped', {
      detail: `The organization may send ${limit} ${channel} an hour and has done so.`,
      retry_after_seconds: rest.retry_after_seconds,
      rate_limit: { limit, remaining, reset_seconds },
    });

  const jobs: JobHandler[] = [
    {
      kind: 'forget_velocity_minutes',
      every_seconds: 3600,
      run: () => store.forgetBefore(new Date(clock.ms() - hour_ms - 2 * minute_ms)),
    },
  ];

  return {
    jobs,

    /** At most half a second old. Never ask inside a transaction: it may need a connection of its own. */
    isStopped(channel: Channel): boolean | Promise<boolean> {
      const known = switches.get();
      return known instanceof Promise ? known.then((now) => now[channel]) : known[channel];
    },

    /** The cap an hour, at most a second old; null when nothing needs to be counted. Not inside a transaction either. */
    capOf(organization_id: string, channel: Channel): number | null | Promise<number | null> {
      const known = caps.get(organization_id, () => store.capsOf(organization_id));
      return known instanceof Promise
        ? known.then((found) => effective(found, channel))
        : effective(known, channel);
    },

    /** Throws 429 velocity_capped, else counts one; undone with the transaction. */
    async count(tx: Transaction, organization_id: string, channel: Channel, cap: number): Promise<void> {
      await store.lock(tx, organization_id, channel);
      const found = await velocity(tx, organization_id, channel, cap);
      if (!found.allowed) throw cappedError(channel, found);
      const now = clock.now();
      const interval = new Date(now.getTime() - (now.getTime() % interval_ms));
      await store.add(tx, organization_id, channel, { interval, now });
    },

    /** The error that `count` would throw now; null while there is room. Counts nothing. */
    async fullError(organization_id: string, channel: Channel, cap: number): Promise<ApiError | null> {
      const found = await velocity(db, organization_id, channel, cap);
      return found.allowed ? null : cappedError(channel, found);
    },

    killSwitch: (): Promise<KillSwitch> => store.killSwitch(),

    async setKillSwitch(context: Context, patch: KillSwitchPatch): Promise<KillSwitch> {
      await db.transaction(async (tx) => {
        await store.setKillSwitch(tx, patch, clock.now());
        await audit.write(tx, actorOf(context), {
          organization_id: null,
          action: 'kill_switch.changed',
          object_id: null,
          detail: patch,
        });
        tx.afterCommit(() => switches.forget());
      });
      const now = await store.killSwitch();
      deps.switched?.(now);
      return now;
    },
  };
}
export type ChannelLimits = ReturnType<typeof channelLimits>;
