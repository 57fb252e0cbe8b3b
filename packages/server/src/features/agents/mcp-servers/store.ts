// The SQL of MCP servers. Headers are stored sealed.

import type { PriorDiscovery } from '@modelcontextprotocol/client';
import type { McpServer } from '@parley/contract/agents/mcp-servers';
import { limits } from '@parley/contract/limits';
import type { Database, Transaction } from '../../../platform/db/database.ts';
import { orDuplicate } from '../../../platform/db/duplicate.ts';
import { cursors, type PageRequest, readPage } from '../../../platform/db/page.ts';
import { sql } from '../../../platform/db/sql.ts';
import type { AllowedTool, McpToolDefinition } from './tool-list.ts';

const columns = sql`id, organization_id, name, url, header_names, headers_sealed, allow, timeout_ms, tools, discovery,
  error, iso(checked_at) as checked_at, iso(refresh_at) as refresh_at, iso(created_at) as created_at,
  iso(updated_at) as updated_at`;

export type StoredServer = Omit<McpServer, 'allow' | 'tools' | 'status'> & {
  headers_sealed: string | null;
  allow: AllowedTool[];
  tools: McpToolDefinition[];
  discovery: PriorDiscovery | null;
  refresh_at: string;
};

const list = cursors('mcp_servers');

export type McpServerStore = ReturnType<typeof mcpServerStore>;

export function mcpServerStore(db: Database) {
  return {
    /** Serializes inserts of one organization, so that the limit holds. */
    async insert(tx: Transaction, organization_id: string, server: StoredServer) {
      await tx.run(sql`select pg_advisory_xact_lock(hashtextextended(${`mcp:${organization_id}`}, 0))`);
      const row = await tx.maybe<{ count: number }>(
        sql`select count(*)::int as count from mcp_servers where organization_id = ${organization_id}`,
      );
      if (row!.count >= limits.mcp_servers) return 'too_many';
      return orDuplicate('mcp_servers', () =>
        tx.run(
          sql`insert into mcp_servers select * from json_populate_record(null::mcp_servers, ${JSON.stringify(server)})`,
        ),
      );
    },

    find: (organization_id: string, id: string) =>
      db.maybe<StoredServer>(
        sql`select ${columns} from mcp_servers where organization_id = ${organization_id} and id = ${id}`,
      ),

    findAll: (organization_id: string, ids: readonly string[]) =>
      db.rows<StoredServer>(sql`
        select ${columns} from mcp_servers
         where organization_id = ${organization_id} and id = any(${ids}::uuid[])`),

    lock: (tx: Transaction, organization_id: string, id: string) =>
      tx.maybe<StoredServer>(sql`
        select ${columns} from mcp_servers where organization_id = ${organization_id} and id = ${id} for update`),

    replace: (tx: Transaction, organization_id: string, server: StoredServer) =>
      orDuplicate('mcp_servers', () =>
        tx.run(sql`
          update mcp_servers set (name, url, header_names, headers_sealed, allow, timeout_ms, tools, discovery, error,
                                  checked_at, refresh_at, updated_at)
               = (select name, url, header_names, headers_sealed, allow, timeout_ms, tools, discovery, error,
                         checked_at, refresh_at, updated_at
                    from json_populate_record(null::mcp_servers, ${JSON.stringify(server)}))
           where organization_id = ${organization_id} and id = ${server.id}`),
      ),

    delete: (tx: Transaction, organization_id: string, id: string) =>
      tx.maybe<{ name: string }>(
        sql`delete from mcp_servers where organization_id = ${organization_id} and id = ${id} returning name`,
      ),

    list: (organization_id: string, page: PageRequest) =>
      readPage<StoredServer>(db, list, page, {
        columns,
        from: sql`mcp_servers`,
        where: sql`organization_id = ${organization_id}`,
      }),

    /** Servers of all organizations whose tools must be asked for again; no other process gets them until `again_at`. */
    claimDue: (now: Date, again_at: Date, limit: number) =>
      db.rows<StoredServer>(sql`
        update mcp_servers set refresh_at = ${again_at}
         where id in (select id from mcp_servers where refresh_at <= ${now}
                       order by refresh_at limit ${limit} for update skip locked)
        returning ${columns}`),
  };
}
