// The SQL of approvers: the members of an organization.
import type { Role } from '@parley/contract/access/roles';
import type { Database, Queryable } from '../../../../platform/db/database.ts';
import { sql } from '../../../../platform/db/sql.ts';

export type Member = { id: string; user_id: string; role: Role; email: string; name: string };

/** More approvers than this get no link. */
const max_members = 200;

const columns = sql`m.id, m.user_id, m.role, coalesce(u.contact_email, u.email) as email, u.name`;

export const approverStore = (db: Database) => ({
  list: (organization_id: string, on: Queryable = db) =>
    on.rows<Member>(sql`
      select ${columns} from members m join accounts.users u on u.id = m.user_id
       where m.organization_id = ${organization_id} order by m.id limit ${max_members}`),

  find: (organization_id: string, user_id: string, on: Queryable = db) =>
    on.maybe<Member>(sql`
      select ${columns} from members m join accounts.users u on u.id = m.user_id
       where m.organization_id = ${organization_id} and m.user_id = ${user_id}`),
});
export type ApproverStore = ReturnType<typeof approverStore>;
