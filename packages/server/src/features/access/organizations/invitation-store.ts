// The SQL of invitations.
import type { Invitation } from '@parley/contract/access/members';
import type { Role } from '@parley/contract/access/roles';
import type { Database, Queryable, Transaction } from '../../../platform/db/database.ts';
import { cursors, type PageRequest, readPage } from '../../../platform/db/page.ts';
import { sql } from '../../../platform/db/sql.ts';

const columns = sql`id, organization_id, email, role, invited_by, iso(created_at) as created_at,
  iso(expires_at) as expires_at, iso(accepted_at) as accepted_at`;

/** Who wrote it, and by which right. */
export type Inviter = { invited_as: 'member' | 'operator' | null; invited_with_key: string | null };
export type FoundInvitation = Inviter & {
  id: string;
  organization_id: string;
  organization: string;
  email: string;
  role: Role;
  invited_by: string | null;
};
export type InviterNow = { role: Role | null; is_superadmin: boolean; has_key: boolean };

const invitation_cursors = cursors('invitations');

export function invitationStore(db: Database) {
  return {
    async insert(
      tx: Transaction,
      organization_id: string,
      invitation: Invitation & { token_hash: string } & Inviter,
    ): Promise<void> {
      const row = JSON.stringify({ ...invitation, organization_id });
      await tx.run(sql`
        insert into invitations select * from json_populate_record(null::invitations, ${row})`);
    },

    list: (organization_id: string, query: PageRequest) =>
      readPage<Invitation>(db, invitation_cursors, query, {
        columns,
        from: sql`invitations`,
        where: sql`organization_id = ${organization_id}`,
      }),

    delete: (tx: Transaction, organization_id: string, id: string) =>
      tx.maybe<{ email: string; role: Role }>(sql`
        delete from invitations where organization_id = ${organization_id} and id = ${id}
        returning email, role`),

    /** By the secret of the link, so it needs no organization. */
    findOpen: (on: Queryable, token_hash: string, now: Date) =>
      on.maybe<FoundInvitation>(sql`
        select i.id, i.organization_id, o.name as organization, i.email, i.role, i.invited_by, i.invited_as, i.invited_with_key
          from invitations i join organizations o on o.id = i.organization_id
         where i.token_hash = ${token_hash} and i.accepted_at is null and i.expires_at > ${now}`),

    /**
     * What lets the inviter invite now. Locked until the end of the transaction, so that who is being removed invites nobody at
     * the same moment.
     */
    inviterNow: async (
      on: Queryable,
      { organization_id, invited_by, invited_with_key }: FoundInvitation,
      now: Date,
    ): Promise<InviterNow> => {
      const member = await on.maybe<{ role: Role }>(sql`
        select role from members where organization_id = ${organization_id} and user_id = ${invited_by} for share`);
      const user = await on.maybe<{ superadmin: boolean }>(sql`
        select superadmin from accounts.users where id = ${invited_by} for share`);
      const key =
        invited_with_key === null ||
        (await on.maybe(sql`
          select 1 from api_keys
           where id = ${invited_with_key} and (expires_at is null or expires_at > ${now}) for share`));
      return { role: member?.role ?? null, is_superadmin: user?.superadmin ?? false, has_key: Boolean(key) };
    },

    /** Those that this inviter may not write any more. */
    async deleteOf(tx: Transaction, organization_id: string, user_id: string, roles: Role[]): Promise<void> {
      await tx.run(sql`
        delete from invitations
         where organization_id = ${organization_id} and invited_by = ${user_id} and accepted_at is null
           and invited_as is distinct from 'operator' and role = any(${roles})`);
    },

    /** False when a concurrent request already accepted it. */
    async accept(tx: Transaction, organization_id: string, id: string, now: Date): Promise<boolean> {
      const updated = await tx.run(sql`
        update invitations set accepted_at = ${now}
         where organization_id = ${organization_id} and id = ${id} and accepted_at is null`);
      return updated === 1;
    },
  };
}
export type InvitationStore = ReturnType<typeof invitationStore>;
