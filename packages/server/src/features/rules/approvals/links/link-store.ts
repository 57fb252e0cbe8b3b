// The SQL of links with which a person decides about an approval.
import type { Database, Transaction } from '../../../../platform/db/database.ts';
import { sql } from '../../../../platform/db/sql.ts';

export type StoredLink = { organization_id: string; approval_id: string; user_id: string };

export const approvalLinkStore = (db: Database) => ({
  /** The newest link of an approver is the only one that works. */
  async replace(
    tx: Transaction,
    organization_id: string,
    link: { approval_id: string; user_id: string; token_hash: string },
  ): Promise<void> {
    await tx.run(sql`
      insert into approval_links (organization_id, approval_id, user_id, token_hash)
      values (${organization_id}, ${link.approval_id}, ${link.user_id}, ${link.token_hash})
      on conflict (organization_id, approval_id, user_id) do update set token_hash = excluded.token_hash`);
  },

  find: (token_hash: string) =>
    db.maybe<StoredLink>(sql`
      select organization_id, approval_id, user_id from approval_links where token_hash = ${token_hash}`),

  delete: async (tx: Transaction, organization_id: string, token_hash: string): Promise<boolean> =>
    (await tx.run(sql`
      delete from approval_links where organization_id = ${organization_id} and token_hash = ${token_hash}`)) ===
    1,
});
