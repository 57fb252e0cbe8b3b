// The SQL of tools. Headers and secrets are stored sealed.

import type { Tool } from '@parley/contract/agents/tools';
import { limits } from '@parley/contract/limits';
import type { Database, Transaction } from '../../../platform/db/database.ts';
import { orDuplicate } from '../../../platform/db/duplicate.ts';
import { cursors, type PageRequest, readPage } from '../../../platform/db/page.ts';
import { sql } from '../../../platform/db/sql.ts';

const columns = sql`id, organization_id, 'http' as type, name, description, parameters, fixed, url, header_names, effect,
  timeout_ms, speech, redact, coalesce(approval, 'none') as approval, iso(previous_secret_expires_at) as previous_secret_expires_at,
  iso(created_at) as created_at, iso(updated_at) as updated_at`;
const sealed_columns = sql`${columns}, headers_sealed, secret_sealed, previous_secret_sealed`;

export type StoredTool = Tool & {
  headers_sealed: string | null;
  secret_sealed: string;
  previous_secret_sealed: string | null;
};

const list = cursors('tools');

export type ToolStore = ReturnType<typeof toolStore>;

export function toolStore(db: Database) {
  return {
    /** Serializes inserts of one organization, so that the limit holds. */
    async insert(tx: Transaction, organization_id: string, tool: StoredTool) {
      await tx.run(sql`select pg_advisory_xact_lock(hashtextextended(${`tools:${organization_id}`}, 0))`);
      const row = await tx.maybe<{ count: number }>(
        sql`select count(*)::int as count from tools where organization_id = ${organization_id}`,
      );
      if (row!.count >= limits.tools) return 'too_many';
      return orDuplicate('tools', () =>
        tx.run(
          sql`insert into tools select * from json_populate_record(null::tools, ${JSON.stringify(tool)})`,
        ),
      );
    },

    find: (organization_id: string, id: string) =>
      db.maybe<Tool>(
        sql`select ${columns} from tools where organization_id = ${organization_id} and id = ${id}`,
      ),

    sealed: (organization_id: string, ids: readonly string[]) =>
      db.rows<StoredTool>(sql`
        select ${sealed_columns} from tools where organization_id = ${organization_id} and id = any(${ids}::uuid[])`),

    lock: (tx: Transaction, organization_id: string, id: string) =>
      tx.maybe<StoredTool>(sql`
        select ${sealed_columns} from tools where organization_id = ${organization_id} and id = ${id} for update`),

    replace: (tx: Transaction, organization_id: string, tool: StoredTool) =>
      orDuplicate('tools', () =>
        tx.run(sql`
          update tools set (name, description, parameters, fixed, url, header_names, headers_sealed, secret_sealed,
                            previous_secret_sealed, previous_secret_expires_at, effect, timeout_ms, speech, redact,
                            approval, updated_at)
               = (select name, description, parameters, fixed, url, header_names, headers_sealed, secret_sealed,
                         previous_secret_sealed, previous_secret_expires_at, effect, timeout_ms, speech, redact,
                         approval, updated_at
                    from json_populate_record(null::tools, ${JSON.stringify(tool)}))
           where organization_id = ${organization_id} and id = ${tool.id}`),
      ),

    async delete(tx: Transaction, organization_id: string, id: string): Promise<{ name: string } | null> {
      return tx.maybe<{ name: string }>(
        sql`delete from tools where organization_id = ${organization_id} and id = ${id} returning name`,
      );
    },

    list: (organization_id: string, page: PageRequest) =>
      readPage<Tool>(db, list, page, {
        columns,
        from: sql`tools`,
        where: sql`organization_id = ${organization_id}`,
      }),
  };
}
