// The SQL of invitations.
import type { Invitation } from '@parley/contract/members';
import type { Role } from '@parley/contract/roles';
import type { Database, Queryable, Transaction } from '../../platform/db/database.ts';
import { cursors, type PageRequest, readPage } from '../../platform/db/page.ts';
import { sql } from '../../platform/db/sql.ts';

const columns = sql`id, organization_id, email, role, invited_by, iso(created_at) as created_at,
  iso(expires_at) as expires_at, iso(accepted_at) as accepted_at`;

const invitation_cursors = cursors('invitations');

export function invitationStore(db: Database) {
  return {
    async insert(
      tx: Transaction,
      organization_id: string,
      invitation: Invitation & { token_hash: string },
    ): Promise<void> {
      const row = JSON.stringify({ ...invitation, organization_id });
      await tx.run(sql`
        insert into invitations select * from json_populate_record(null::invitations, ${row})`);
    },

    list: (organization_id: string, query: PageRequest) =>
      readPage(db, invitation_cursors, query, {
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
      on.maybe<{ id: string; organization_id: string; organization: string; email: string; role: Role }>(sql`
        select i.id, i.organization_id, o.name as organization, i.email, i.role
          from invitations i join organizations o on o.id = i.organization_id
         where i.token_hash = ${token_hash} and i.accepted_at is null and i.expires_at > ${now}`),

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
