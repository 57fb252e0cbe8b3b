// The SQL of the audit log: entries are inserted and read, never changed. Old failed sign-ins are deleted.
import type { AuditEntry } from '@parley/contract/access/admin';
import type { Database, Queryable } from '../../../platform/db/database.ts';
import { cursors, type PageRequest, readPage } from '../../../platform/db/page.ts';
import { sql } from '../../../platform/db/sql.ts';

const columns = sql`id, organization_id, user_id, credential_id, action, object_id, ip, request_id, detail,
  iso(created_at) as created_at`;

const entry_cursors = cursors('audit-log');

export function auditStore(db: Database) {
  return {
    async insert(on: Queryable, entry: AuditEntry): Promise<void> {
      await on.run(sql`
        insert into audit_entries select * from json_populate_record(null::audit_entries, ${JSON.stringify(entry)})`);
    },
    async forget(action: string, before: Date): Promise<void> {
      await db.run(sql`
        delete from audit_entries
         where organization_id is null and action = ${action} and created_at < ${before}`);
    },
    list(query: PageRequest & { organization_id?: string | undefined; action?: string | undefined }) {
      const by_organization = query.organization_id
        ? sql`and organization_id = ${query.organization_id}`
        : sql.empty;
      const by_action = query.action ? sql`and action = ${query.action}` : sql.empty;
      return readPage<AuditEntry>(db, entry_cursors, query, {
        columns,
        from: sql`audit_entries`,
        where: sql`true ${by_organization} ${by_action}`,
      });
    },
  };
}
