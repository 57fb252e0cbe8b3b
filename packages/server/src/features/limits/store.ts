// The SQL of limits: counts by the minute, caps of organizations, and the kill switch.
import { type Channel, channels, type KillSwitch, type KillSwitchPatch } from '@parley/contract/admin';
import type { OrganizationOrigin } from '@parley/contract/organizations';
import type { Database, Transaction } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/sql.ts';
import type { MinuteCount } from './velocity.ts';

export type Caps = { origin: OrganizationOrigin } & Record<Channel, number | null>;

export function limitStore(db: Database) {
  return {
    capsOf: (organization_id: string) =>
      db.maybe<Caps>(sql`
        select origin, calls_per_hour as calls, emails_per_hour as emails, sms_per_hour as sms
          from organizations where id = ${organization_id}`),

    /** The kill switch and the caps as they are this very moment. */
    stateOf: (tx: Transaction, organization_id: string, channel: Channel) =>
      tx.maybe<{ stopped: boolean; origin: OrganizationOrigin | null; cap: number | null }>(sql`
        select k.stopped, o.origin,
               case k.channel when 'calls' then o.calls_per_hour when 'emails' then o.emails_per_hour
                              else o.sms_per_hour end as cap
          from kill_switches k left join organizations o on o.id = ${organization_id}
         where k.channel = ${channel}`),

    /** One request at a time counts for the organization on the channel, until its transaction ends. */
    async lock(tx: Transaction, organization_id: string, channel: Channel): Promise<void> {
      await tx.run(
        sql`select pg_advisory_xact_lock(hashtextextended(${`velocity:${channel}:${organization_id}`}, 0))`,
      );
    },

    counts: (tx: Transaction, organization_id: string, channel: Channel, since: Date) =>
      tx.rows<MinuteCount>(sql`
        select extract(epoch from minute)::float8 * 1000 as minute_ms, count from velocity_minutes
         where organization_id = ${organization_id} and channel = ${channel} and minute > ${since}
         order by minute`),

    async add(tx: Transaction, organization_id: string, channel: Channel, minute: Date): Promise<void> {
      await tx.run(sql`
        insert into velocity_minutes (organization_id, channel, minute, count)
        values (${organization_id}, ${channel}, ${minute}, 1)
        on conflict (organization_id, channel, minute) do update set count = velocity_minutes.count + 1`);
    },

    async forgetBefore(moment: Date): Promise<void> {
      await db.run(sql`delete from velocity_minutes where minute < ${moment}`);
    },

    async killSwitch(): Promise<KillSwitch> {
      const rows = await db.rows<{ channel: Channel; stopped: boolean }>(
        sql`select channel, stopped from kill_switches`,
      );
      return Object.fromEntries(rows.map((row) => [row.channel, row.stopped])) as KillSwitch;
    },

    async setKillSwitch(tx: Transaction, patch: KillSwitchPatch, now: Date): Promise<void> {
      for (const channel of channels) {
        const stopped = patch[channel];
        if (stopped === undefined) continue;
        await tx.run(sql`
          update kill_switches set stopped = ${stopped}, changed_at = ${now} where channel = ${channel}`);
      }
    },
  };
}
