// The SQL of organizations, their members and invitations.
import type { Invitation, Member } from '@parley/contract/members';
import type { Organization } from '@parley/contract/organizations';
import type { Role } from '@parley/contract/roles';
import type { Database, Queryable, Transaction } from '../../platform/db/database.ts';
import { cursors, type PageRequest, readPage } from '../../platform/db/page.ts';
import { sql } from '../../platform/db/sql.ts';
import { addressOf } from './people-store.ts';

const organizationColumns = sql`id, name, origin,
  json_build_object('calls', calls_per_hour, 'emails', emails_per_hour, 'sms', sms_per_hour) as velocity_caps,
  iso(created_at) as created_at, iso(updated_at) as updated_at`;
const memberColumns = sql`m.id, m.organization_id, m.user_id, m.contact_id, m.role, ${addressOf} as email, u.name,
  iso(m.created_at) as created_at`;
const memberTables = sql`members m join accounts.users u on u.id = m.user_id`;
const invitationColumns = sql`id, organization_id, email, role, invited_by, iso(created_at) as created_at,
  iso(expires_at) as expires_at, iso(accepted_at) as accepted_at`;

const lists = {
  organizations: cursors('organizations'),
  members: cursors('members'),
  invitations: cursors('invitations'),
};

export type OrganizationOfUser = { id: string; name: string; role: Role };

export function organizationStore(db: Database) {
  return {
    async insert(on: Queryable, organization: Organization): Promise<void> {
      const { id, name, origin, velocity_caps: caps, created_at, updated_at } = organization;
      await on.run(sql`
        insert into organizations (id, name, origin, calls_per_hour, emails_per_hour, sms_per_hour, balance_micros,
                                   created_at, updated_at)
        values (${id}, ${name}, ${origin}, ${caps.calls}, ${caps.emails}, ${caps.sms}, 0, ${created_at}, ${updated_at})`);
    },
    find: (id: string) =>
      db.maybe<Organization>(sql`select ${organizationColumns} from organizations where id = ${id}`),
    lock: (tx: Transaction, id: string) =>
      tx.maybe<Organization>(
        sql`select ${organizationColumns} from organizations where id = ${id} for update`,
      ),
    async replace(tx: Transaction, organization: Organization): Promise<void> {
      const { id, name, origin, velocity_caps: caps, updated_at } = organization;
      await tx.run(sql`
        update organizations set name = ${name}, origin = ${origin}, calls_per_hour = ${caps.calls},
               emails_per_hour = ${caps.emails}, sms_per_hour = ${caps.sms}, updated_at = ${updated_at}
         where id = ${id}`);
    },
    list: (query: PageRequest) =>
      readPage(db, lists.organizations, query, {
        columns: organizationColumns,
        from: sql`organizations`,
        where: sql`true`,
      }),
    ofUser: (user_id: string) =>
      db.rows<OrganizationOfUser>(sql`
        select o.id, o.name, m.role from members m join organizations o on o.id = m.organization_id
         where m.user_id = ${user_id} order by m.created_at, m.id`),

    async insertMember(
      tx: Transaction,
      organization_id: string,
      member: Omit<Member, 'email' | 'name' | 'organization_id'>,
    ): Promise<boolean> {
      const { id, user_id, role, contact_id, created_at } = member;
      return (
        (await tx.run(sql`
          insert into members (id, organization_id, user_id, role, contact_id, created_at)
          values (${id}, ${organization_id}, ${user_id}, ${role}, ${contact_id}, ${created_at})
          on conflict (organization_id, user_id) do nothing`)) === 1
      );
    },
    /** Holds the organization's row as well: who is the last owner must not change meanwhile. */
    async lockMember(tx: Transaction, organization_id: string, id: string): Promise<Member | null> {
      await tx.run(sql`select 1 from organizations where id = ${organization_id} for update`);
      return tx.maybe<Member>(sql`
        select ${memberColumns} from ${memberTables} where m.organization_id = ${organization_id} and m.id = ${id}`);
    },
    async ownersOf(tx: Transaction, organization_id: string): Promise<number> {
      const row = await tx.maybe<{ count: number }>(sql`
        select count(*) as count from members where organization_id = ${organization_id} and role = 'owner'`);
      return row!.count;
    },
    async setRole(tx: Transaction, organization_id: string, id: string, role: Role): Promise<void> {
      await tx.run(
        sql`update members set role = ${role} where organization_id = ${organization_id} and id = ${id}`,
      );
    },
    async deleteMember(tx: Transaction, organization_id: string, id: string): Promise<void> {
      await tx.run(sql`delete from members where organization_id = ${organization_id} and id = ${id}`);
    },
    listMembers: (organization_id: string, query: PageRequest) =>
      readPage(db, lists.members, query, {
        columns: memberColumns,
        from: memberTables,
        where: sql`m.organization_id = ${organization_id}`,
        alias: 'm',
      }),
    async isMemberByEmail(on: Queryable, organization_id: string, email: string): Promise<boolean> {
      return (
        (await on.maybe(sql`
          select 1 from ${memberTables} where m.organization_id = ${organization_id} and ${addressOf} = ${email}`)) !==
        null
      );
    },

    async insertInvitation(
      tx: Transaction,
      organization_id: string,
      invitation: Invitation & { token_hash: string },
    ): Promise<void> {
      const row = JSON.stringify({ ...invitation, organization_id });
      await tx.run(sql`
        insert into invitations select * from json_populate_record(null::invitations, ${row})`);
    },
    listInvitations: (organization_id: string, query: PageRequest) =>
      readPage(db, lists.invitations, query, {
        columns: invitationColumns,
        from: sql`invitations`,
        where: sql`organization_id = ${organization_id}`,
      }),
    deleteInvitation: (tx: Transaction, organization_id: string, id: string) =>
      tx.maybe<{ email: string; role: Role }>(sql`
        delete from invitations where organization_id = ${organization_id} and id = ${id}
        returning email, role`),
    /** By its secret: whoever holds the link needs no organization. */
    openInvitation: (on: Queryable, token_hash: string, now: Date) =>
      on.maybe<{ id: string; organization_id: string; organization: string; email: string; role: Role }>(sql`
        select i.id, i.organization_id, o.name as organization, i.email, i.role
          from invitations i join organizations o on o.id = i.organization_id
         where i.token_hash = ${token_hash} and i.accepted_at is null and i.expires_at > ${now}`),
    /** False when somebody was faster. */
    async acceptInvitation(
      tx: Transaction,
      organization_id: string,
      id: string,
      now: Date,
    ): Promise<boolean> {
      return (
        (await tx.run(sql`
          update invitations set accepted_at = ${now}
           where organization_id = ${organization_id} and id = ${id} and accepted_at is null`)) === 1
      );
    },
  };
}
export type OrganizationStore = ReturnType<typeof organizationStore>;
