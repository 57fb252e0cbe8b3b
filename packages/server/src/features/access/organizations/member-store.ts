// The SQL of members.
import type { Member } from '@parley/contract/access/members';
import type { Role } from '@parley/contract/access/roles';
import type { Database, Queryable, Transaction } from '../../../platform/db/database.ts';
import { cursors, type PageRequest, readPage } from '../../../platform/db/page.ts';
import { sql } from '../../../platform/db/sql.ts';
import { emailOf } from './people-store.ts';

const columns = sql`m.id, m.organization_id, m.user_id, m.contact_id, m.role, ${emailOf} as email, u.name,
  iso(m.created_at) as created_at`;
const tables = sql`members m join accounts.users u on u.id = m.user_id`;

const member_cursors = cursors('members');

export function memberStore(db: Database) {
  return {
    /** False when the user is already a member. */
    async insert(
      tx: Transaction,
      organization_id: string,
      member: Omit<Member, 'email' | 'name' | 'organization_id'>,
    ): Promise<boolean> {
      const { id, user_id, role, contact_id, created_at } = member;
      const inserted = await tx.run(sql`
        insert into members (id, organization_id, user_id, role, contact_id, created_at)
        values (${id}, ${organization_id}, ${user_id}, ${role}, ${contact_id}, ${created_at})
        on conflict (organization_id, user_id) do nothing`);
      return inserted === 1;
    },

    /** Locks the row of the organization too: two concurrent changes must not remove the last two owners. */
    async lock(tx: Transaction, organization_id: string, id: string): Promise<Member | null> {
      await tx.run(sql`select 1 from organizations where id = ${organization_id} for update`);
      return tx.maybe<Member>(sql`
        select ${columns} from ${tables} where m.organization_id = ${organization_id} and m.id = ${id}`);
    },

    async countOwners(tx: Transaction, organization_id: string): Promise<number> {
      const row = await tx.maybe<{ count: number }>(sql`
        select count(*) as count from members where organization_id = ${organization_id} and role = 'owner'`);
      return row!.count;
    },

    async setRole(tx: Transaction, organization_id: string, id: string, role: Role): Promise<void> {
      await tx.run(
        sql`update members set role = ${role} where organization_id = ${organization_id} and id = ${id}`,
      );
    },

    async delete(tx: Transaction, organization_id: string, id: string): Promise<void> {
      await tx.run(sql`delete from members where organization_id = ${organization_id} and id = ${id}`);
    },

    list: (organization_id: string, query: PageRequest) =>
      readPage<Member>(db, member_cursors, query, {
        columns,
        from: tables,
        where: sql`m.organization_id = ${organization_id}`,
        alias: 'm',
      }),

    async hasEmail(on: Queryable, organization_id: string, email: string): Promise<boolean> {
      const row = await on.maybe(sql`
        select 1 from ${tables} where m.organization_id = ${organization_id} and ${emailOf} = ${email}`);
      return row !== null;
    },
  };
}
export type MemberStore = ReturnType<typeof memberStore>;
