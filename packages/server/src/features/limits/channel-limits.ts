// Decides whether one more call, email or text may go out. Features ask inside the transaction that creates it.
import type { Channel, KillSwitch, KillSwitchPatch } from '@parley/contract/admin';
import type { OrganizationOrigin } from '@parley/contract/organizations';
import type { Config } from '../../config.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database, Transaction } from '../../platform/db/database.ts';
import { freshValue, freshValues } from '../../platform/fresh-value.ts';
import { ApiError } from '../../platform/http/api-error.ts';
import type { Context } from '../../platform/http/context.ts';
import type { JobHandler } from '../../platform/jobs.ts';
import { type AuditLog, actorOf } from '../audit/index.ts';
import { type Caps, limitStore } from './store.ts';
import { counted_ms, velocityOf } from './velocity.ts';

/** The kill switch must be felt everywhere within a second; half of it leaves time for the request itself. */
const switch_age_ms = 500;
const caps_age_ms = 1000;
const max_organizations = 10_000;
const minute_ms = 60_000;
const stopped_retry_seconds = 60;

export function channelLimits(deps: {
  db: Database;
  clock: Clock;
  audit: AuditLog;
  /** Caps an hour of organizations of agent origin. */
  config: Pick<
    Config,
    'PARLEY_AGENT_CALLS_PER_HOUR' | 'PARLEY_AGENT_EMAILS_PER_HOUR' | 'PARLEY_AGENT_SMS_PER_HOUR'
  >;
}) {
  const { db, clock, audit, config } = deps;
  const agent_caps: Record<Channel, number> = {
    calls: config.PARLEY_AGENT_CALLS_PER_HOUR,
    emails: config.PARLEY_AGENT_EMAILS_PER_HOUR,
    sms: config.PARLEY_AGENT_SMS_PER_HOUR,
  };
  const store = limitStore(db);
  const switches = freshValue({ load: () => store.killSwitch(), max_age_ms: switch_age_ms });
  const caps = freshValues<Caps | null>({ max_age_ms: caps_age_ms, max_kept: max_organizations });

  const effective = (cap: number | null, origin: OrganizationOrigin | null, channel: Channel) =>
    cap ?? (origin === 'agent' ? agent_caps[channel] : null);
  const stopped = () => new ApiError('kill_switch', { retry_after_seconds: stopped_retry_seconds });

  const capOf = async (organization_id: string, channel: Channel): Promise<number | null> => {
    const found = await caps.get(organization_id, () => store.capsOf(organization_id));
    return found && effective(found[channel], found.origin, channel);
  };

  /**
   * Throws 429 kill_switch. Answers the organization's cap an hour, or null when nothing needs to be counted. It goes by
   * what is at most a second old and needs no transaction: for a create that shares its commit with others, which may
   * then leave `count` out. Never call it inside a transaction: it may need a connection of its own.
   */
  const check = async (organization_id: string, channel: Channel): Promise<number | null> => {
    if ((await switches.get())[channel]) throw stopped();
    return capOf(organization_id, channel);
  };

  /** Throws 429 velocity_capped, else counts one; undone with the transaction. */
  const count = async (tx: Transaction, organization_id: string, channel: Channel, cap: number) => {
    await store.lock(tx, organization_id, channel);
    const now_ms = clock.ms();
    const counts = await store.counts(tx, organization_id, channel, new Date(now_ms - counted_ms));
    const velocity = velocityOf(counts, cap, now_ms);
    if (!velocity.allowed) {
      throw new ApiError('velocity_capped', {
        detail: `The organization may send ${cap} ${channel} an hour and has done so.`,
        retry_after_seconds: velocity.retry_after_seconds,
        rate_limit: velocity,
      });
    }
    await store.add(tx, organization_id, channel, new Date(now_ms - (now_ms % minute_ms)));
  };

  const jobs: JobHandler[] = [
    {
      kind: 'forget_velocity_minutes',
      every_seconds: 3600,
      run: () => store.forgetBefore(new Date(clock.ms() - 2 * counted_ms)),
    },
  ];

  return {
    check,
    count,
    jobs,
    /** Everything at once, for a create in a transaction of its own: throws 429 kill_switch or velocity_capped. */
    async admit(tx: Transaction, organization_id: string, channel: Channel): Promise<void> {
      const state = (await store.stateOf(tx, organization_id, channel))!;
      if (state.stopped) throw stopped();
      const cap = effective(state.cap, state.origin, channel);
      if (cap !== null) await count(tx, organization_id, channel, cap);
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
      return store.killSwitch();
    },
  };
}
export type ChannelLimits = ReturnType<typeof channelLimits>;
