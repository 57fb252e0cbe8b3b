// The kill switch and the caps per hour of organizations. Only admission uses them.
import type { Channel, KillSwitch } from '@parley/contract/access/admin';
import type { Config } from '../../../config/config.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { Database, Queryable, Transaction } from '../../../platform/db/database.ts';
import { ApiError } from '../../../platform/http/api-error.ts';
import type { JobHandler } from '../../../platform/jobs.ts';
import { keyedTtlCache } from '../../../platform/ttl-cache.ts';
import type { AuditLog } from '../../access/audit/index.ts';
import { killSwitches } from './kill-switch.ts';
import { type Caps, limitStore } from './store.ts';
import { hour_ms, interval_ms, type Velocity, velocityOf } from './velocity.ts';

const caps_age_ms = 1000;
const max_organizations = 10_000;
const minute_ms = 60_000;

export function channelLimits(deps: {
  db: Database;
  clock: Clock;
  audit: AuditLog;
  /** Caps per hour of organizations of agent origin. */
  config: Pick<
    Config,
    'PARLEY_AGENT_CALLS_PER_HOUR' | 'PARLEY_AGENT_EMAILS_PER_HOUR' | 'PARLEY_AGENT_SMS_PER_HOUR'
  >;
  /** Called after this process changed the kill switch. */
  onSwitch?(now: KillSwitch): void;
}) {
  const { db, clock, config } = deps;
  const agent_caps: Record<Channel, number> = {
    calls: config.PARLEY_AGENT_CALLS_PER_HOUR,
    emails: config.PARLEY_AGENT_EMAILS_PER_HOUR,
    sms: config.PARLEY_AGENT_SMS_PER_HOUR,
  };
  const store = limitStore(db);
  const caps = keyedTtlCache<Caps | null>({ max_age_ms: caps_age_ms, max_entries: max_organizations });

  const capFor = (found: Caps | null, channel: Channel): number | null =>
    found && (found[channel] ?? (found.origin === 'agent' ? agent_caps[channel] : null));

  const velocity = async (on: Queryable, organization_id: string, channel: Channel, cap: number) => {
    const now_ms = clock.ms();
    const counts = await store.counts(on, organization_id, channel, new Date(now_ms - hour_ms));
    return velocityOf(counts, cap, now_ms);
  };

  const jobs: JobHandler[] = [
    {
      kind: 'forget_velocity_minutes',
      every_seconds: 3600,
      run: () => store.deleteBefore(new Date(clock.ms() - hour_ms - 2 * minute_ms)),
    },
  ];

  return {
    jobs,
    ...killSwitches({ ...deps, store }),

    /** The cap per hour, at most a second old; null when nothing is counted. Never call it inside a transaction. */
    capOf(organization_id: string, channel: Channel): number | null | Promise<number | null> {
      const caps_of_organization = caps.get(organization_id, () => store.findCaps(organization_id));
      return caps_of_organization instanceof Promise
        ? caps_of_organization.then((now) => capFor(now, channel))
        : capFor(caps_of_organization, channel);
    },

    /** Counts one, or throws 429 velocity_capped. A rollback of the transaction undoes the count. */
    async count(tx: Transaction, organization_id: string, channel: Channel, cap: number): Promise<void> {
      await store.lock(tx, organization_id, channel);
      const state = await velocity(tx, organization_id, channel, cap);
      if (!state.allowed) throw cappedError(channel, state);
      const now = clock.now();
      const interval = new Date(now.getTime() - (now.getTime() % interval_ms));
      await store.add(tx, organization_id, channel, { interval, now });
    },

    /** The error that `count` would throw now; null while the cap is not reached. Counts nothing. */
    async fullError(organization_id: string, channel: Channel, cap: number): Promise<ApiError | null> {
      const state = await velocity(db, organization_id, channel, cap);
      return state.allowed ? null : cappedError(channel, state);
    },
  };
}
export type ChannelLimits = ReturnType<typeof channelLimits>;

const cappedError = (channel: Channel, { limit, remaining, reset_seconds, retry_after_seconds }: Velocity) =>
  new ApiError('velocity_capped', {
    detail: `The organization has reached its limit of ${limit} ${channel} per hour.`,
    retry_after_seconds,
    rate_limit: { limit, remaining, reset_seconds },
  });
