// The SQL of device logins. The secret codes of devices are stored as hashes.
import type { Database, Queryable, Transaction } from '../../../../platform/db/database.ts';
import { sql } from '../../../../platform/db/sql.ts';

export type DeviceLogin = {
  id: string;
  user_code: string;
  client_id: string;
  scopes: string[];
  created_at: string;
  expires_at: string;
  last_polled_ms: number | null;
  expires_ms: number;
  /** When the key expires; null for a login that was approved by a version without expiring keys. */
  key_expires_ms: number | null;
  interval_seconds: number;
  user_id: string | null;
  organization_id: string | null;
  approved: boolean;
  denied: boolean;
  used: boolean;
};

const columns = sql`id, user_code, client_id, scopes, interval_seconds, user_id, organization_id,
  extract(epoch from last_polled_at)::float8 * 1000 as last_polled_ms,
  extract(epoch from expires_at)::float8 * 1000 as expires_ms,
  extract(epoch from key_expires_at)::float8 * 1000 as key_expires_ms,
  approved_at is not null as approved, denied_at is not null as denied, used_at is not null as used`;

export function deviceStore(db: Database) {
  return {
    /** False when another login has the same short code. */
    async insert(login: {
      id: string;
      device_code_hash: string;
      user_code: string;
      client_id: string;
      scopes: string[];
      created_at: Date;
      expires_at: Date;
      interval_seconds: number;
    }): Promise<boolean> {
      return (
        (await db.run(sql`
          insert into device_logins (id, device_code_hash, user_code, client_id, scopes, created_at, expires_at, interval_seconds)
          values (${login.id}, ${login.device_code_hash}, ${login.user_code}, ${login.client_id}, ${login.scopes},
                  ${login.created_at}, ${login.expires_at}, ${login.interval_seconds})
          on conflict (user_code) do nothing`)) === 1
      );
    },

    lockByDeviceCode: (tx: Transaction, device_code_hash: string) =>
      tx.maybe<DeviceLogin>(
        sql`select ${columns} from device_logins where device_code_hash = ${device_code_hash} for update`,
      ),

    /** Finds only a login that still waits for a decision. */
    findUndecided: (on: Queryable, user_code: string, now: Date) =>
      on.maybe<DeviceLogin>(sql`
        select ${columns} from device_logins
         where user_code = ${user_code} and expires_at > ${now} and approved_at is null and denied_at is null`),

    /** False when it was already decided. */
    async decide(
      tx: Transaction,
      organization_id: string,
      decision: { id: string; user_id: string; approved: boolean; now: Date; key_expires_at: Date },
    ): Promise<boolean> {
      const { id, user_id, approved, now, key_expires_at } = decision;
      const column = approved ? sql`approved_at` : sql`denied_at`;
      return (
        (await tx.run(sql`
          update device_logins set user_id = ${user_id}, organization_id = ${organization_id},
                 key_expires_at = ${key_expires_at}, ${column} = ${now}
           where id = ${id} and approved_at is null and denied_at is null`)) === 1
      );
    },

    async storePoll(tx: Transaction, id: string, now: Date, interval_seconds: number): Promise<void> {
      await tx.run(sql`
        update device_logins set last_polled_at = ${now}, interval_seconds = ${interval_seconds} where id = ${id}`);
    },

    async markUsed(tx: Transaction, id: string, now: Date): Promise<void> {
      await tx.run(sql`update device_logins set used_at = ${now} where id = ${id}`);
    },

    async deleteExpiredBefore(time: Date): Promise<void> {
      await db.run(sql`delete from device_logins where expires_at < ${time}`);
    },
  };
}
export type DeviceStore = ReturnType<typeof deviceStore>;
