// Asks MCP servers for their tools: when a server is added or changed, and later by a job. Never while a person waits.
import type { Clock } from '../../../platform/clock.ts';
import type { Sealer } from '../../../platform/crypto.ts';
import type { Database } from '../../../platform/db/database.ts';
import type { JobHandler } from '../../../platform/jobs.ts';
import type { Log } from '../../../platform/log.ts';
import type { AgentPool } from '../tools/index.ts';
import { describeFailure } from './call-outcome.ts';
import { listTools, type McpTarget } from './mcp-client.ts';
import type { McpServerStore, StoredServer } from './store.ts';
import { pinnedFirst } from './tool-list.ts';

export type RefreshDeps = {
  db: Database;
  clock: Clock;
  log: Log;
  sealer: Sealer;
  store: McpServerStore;
  pool: AgentPool;
};

const minute_ms = 60_000;
/** What a server may say about how long its list stays valid is kept within these limits. */
const shortest_ms = minute_ms;
const longest_ms = 60 * minute_ms;
const usual_ms = 15 * minute_ms;
const list_timeout_ms = 10_000;
const at_once = 8;

// Authenticated with the sealed text: changing it makes stored headers unreadable.
export const headersContext = ({ organization_id, id }: { organization_id: string; id: string }) =>
  `mcp server headers|${organization_id}|${id}`;

export const targetOf = (
  { sealer, pool }: Pick<RefreshDeps, 'sealer' | 'pool'>,
  server: StoredServer,
): McpTarget => ({
  url: server.url,
  headers:
    server.headers_sealed === null
      ? {}
      : JSON.parse(sealer.open(server.headers_sealed, headersContext(server)).toString()),
  dispatcher: pool.of(server.organization_id),
});

/** The server as it is after it was asked. What it said before stays when it does not answer. */
export async function asked(deps: RefreshDeps, server: StoredServer): Promise<StoredServer> {
  const now_ms = deps.clock.ms();
  const at = (ms: number) => new Date(ms).toISOString();
  try {
    const { tools, discovery, ttl_ms } = await listTools(targetOf(deps, server), list_timeout_ms);
    const valid_ms = Math.min(longest_ms, Math.max(shortest_ms, ttl_ms ?? usual_ms));
    return {
      ...server,
      tools,
      discovery,
      allow: pinnedFirst(server.allow, tools),
      error: null,
      checked_at: at(now_ms),
      refresh_at: at(now_ms + valid_ms),
    };
  } catch (error) {
    const { detail } = describeFailure(error);
    return { ...server, error: detail, checked_at: at(now_ms), refresh_at: at(now_ms + usual_ms) };
  }
}

/** Stores the answer unless the server was changed or removed meanwhile: then its own change has asked again. */
export async function refresh(deps: RefreshDeps, server: StoredServer): Promise<StoredServer | null> {
  const answer = await asked(deps, server);
  return deps.db.transaction(async (tx) => {
    const current = await deps.store.lock(tx, server.organization_id, server.id);
    if (!current || current.updated_at !== server.updated_at) return current;
    await deps.store.replace(tx, server.organization_id, answer);
    return answer;
  });
}

/** A crash in the middle leaves `refresh_at` a few minutes ahead, so another run asks again. */
export const refreshJob = (deps: RefreshDeps): JobHandler => ({
  kind: 'refresh_mcp_servers',
  every_seconds: 60,
  lease_seconds: 300,
  async run(_, signal) {
    while (!signal.aborted) {
      const now = deps.clock.now();
      const again_at = new Date(now.getTime() + 5 * minute_ms);
      const due = await deps.store.claimDue(now, again_at, at_once);
      if (due.length === 0) return;
      const results = await Promise.allSettled(due.map((server) => refresh(deps, server)));
      for (const result of results)
        if (result.status === 'rejected') deps.log.warn({ err: result.reason }, 'MCP server not refreshed');
    }
  },
});
