// The SQL of organizations.
import type { Organization } from '@parley/contract/access/organizations';
import type { Role } from '@parley/contract/access/roles';
import type { Database, Queryable, Transaction } from '../../../platform/db/database.ts';
import { cursors, type PageRequest, readPage } from '../../../platform/db/page.ts';
import { sql } from '../../../platform/db/sql.ts';

const columns = sql`id, name, origin,
  json_build_object('calls', calls_per_hour, 'emails', emails_per_hour, 'sms', sms_per_hour) as velocity_caps,
  storage_bytes_max,
  iso(created_at) as created_at, iso(updated_at) as updated_at`;

const organization_cursors = cursors('organizations');

export type OrganizationOfUser = { id: string; name: string; role: Role };

export function organizationStore(db: Database) {
  return {
    async insert(on: Queryable, organization: Organization, founded_by: string | null = null): Promise<void> {
      const { id, name, origin, velocity_caps: caps, created_at, updated_at } = organization;
      await on.run(sql`
        insert into organizations (id, name, origin, calls_per_hour, emails_per_hour, sms_per_hour, balance_micros,
                                   created_at, updated_at, founded_by)
        values (${id}, ${name}, ${origin}, ${caps.calls}, ${caps.emails}, ${caps.sms}, 0, ${created_at}, ${updated_at}, ${founded_by})`);
    },

    /** Locks the person, so that two organizations that are created at once are both counted. */
    async countFounded(tx: Transaction, user_id: string): Promise<number> {
      await tx.run(sql`select 1 from accounts.users where id = ${user_id} for update`);
      const row = await tx.maybe<{ count: number }>(sql`
        select count(*)::int as count from organizations where founded_by = ${user_id}`);
      return row!.count;
    },

    find: (id: string) => db.maybe<Organization>(sql`select ${columns} from organizations where id = ${id}`),

    lock: (tx: Transaction, id: string) =>
      tx.maybe<Organization>(sql`select ${columns} from organizations where id = ${id} for update`),

    async replace(tx: Transaction, organization: Organization): Promise<void> {
      const { id, name, origin, velocity_caps: caps, storage_bytes_max, updated_at } = organization;
      await tx.run(sql`
        update organizations set name = ${name}, origin = ${origin}, calls_per_hour = ${caps.calls},
               emails_per_hour = ${caps.emails}, sms_per_hour = ${caps.sms}, storage_bytes_max = ${storage_bytes_max},
               updated_at = ${updated_at}
         where id = ${id}`);
    },

    list: (query: PageRequest) =>
      readPage<Organization>(db, organization_cursors, query, {
        columns,
        from: sql`organizations`,
        where: sql`true`,
      }),

    ofUser: (user_id: string) =>
      db.rows<OrganizationOfUser>(sql`
        select o.id, o.name, m.role from members m join organizations o on o.id = m.organization_id
         where m.user_id = ${user_id} order by m.created_at, m.id`),
  };
}
export type OrganizationStore = ReturnType<typeof organizationStore>;

/** The balance of an organization, and how much of it is reserved for calls in progress. The ledger says why. */
export type Account = { balance_micros: number; reserved_micros: number };

const account = (organization_id: string) =>
  sql`select balance_micros, reserved_micros from organizations where id = ${organization_id}`;

export const findAccount = (on: Queryable, organization_id: string) =>
  on.maybe<Account>(account(organization_id));

export const lockAccount = (tx: Transaction, organization_id: string) =>
  tx.maybe<Account>(sql`${account(organization_id)} for no key update`);

export const setBalance = (tx: Transaction, organization_id: string, balance_micros: number) =>
  tx.run(sql`update organizations set balance_micros = ${balance_micros} where id = ${organization_id}`);

export const addReserved = (tx: Transaction, organization_id: string, amount_micros: number) =>
  tx.run(sql`
    update organizations set reserved_micros = reserved_micros + ${amount_micros} where id = ${organization_id}`);
