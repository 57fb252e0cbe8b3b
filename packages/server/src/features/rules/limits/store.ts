// The SQL of limits: counts per short interval, caps of organizations, and the kill switch.
import { type Channel, channels, type KillSwitch, type KillSwitchPatch } from '@parley/contract/access/admin';
import type { OrganizationOrigin } from '@parley/contract/access/organizations';
import type { Database, Queryable, Transaction } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/sql.ts';
import type { SentCount } from './velocity.ts';

export type Caps = { origin: OrganizationOrigin } & Record<Channel, number | null>;

export function limitStore(db: Database) {
  return {
    findCaps: (organization_id: string) =>
      db.maybe<Caps>(sql`
        select origin, calls_per_hour as calls, emails_per_hour as emails, sms_per_hour as sms
          from organizations where id = ${organization_id}`),

    /** Serializes the counts of one organization on one channel until the transaction ends. */
    async lock(tx: Transaction, organization_id: string, channel: Channel): Promise<void> {
      await tx.run(
        sql`select pg_advisory_xact_lock(hashtextextended(${`velocity:${channel}:${organization_id}`}, 0))`,
      );
    },

    /** Oldest first. A row without last_at was written by an older version, whose rows are whole minutes. */
    counts: (on: Queryable, organization_id: string, channel: Channel, since: Date) =>
      on.rows<SentCount>(sql`
        select extract(epoch from last_at)::float8 * 1000 as last_ms, count from (
          select coalesce(last_at, minute + interval '1 minute') as last_at, count from velocity_minutes
           where organization_id = ${organization_id} and channel = ${channel}
             and minute > ${since}::timestamptz - interval '1 minute') v
         where last_at > ${since} order by last_at`),

    async add(
      tx: Transaction,
      organization_id: string,
      channel: Channel,
      at: { interval: Date; now: Date },
    ): Promise<void> {
      await tx.run(sql`
        insert into velocity_minutes (organization_id, channel, minute, last_at, count)
        values (${organization_id}, ${channel}, ${at.interval}, ${at.now}, 1)
        on conflict (organization_id, channel, minute) do update
          set count = velocity_minutes.count + 1, last_at = greatest(velocity_minutes.last_at, excluded.last_at)`);
    },

    async deleteBefore(time: Date): Promise<void> {
      await db.run(sql`delete from velocity_minutes where minute < ${time}`);
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
export type LimitStore = ReturnType<typeof limitStore>;
