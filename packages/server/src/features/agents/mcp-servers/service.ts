// The rules of MCP servers: which addresses are allowed, which tools may be used, when a server is asked.
import type { AgentToolEntry } from '@parley/contract/agents/agent-fields';
import type { McpServer, McpServerCreate, McpServerPatch } from '@parley/contract/agents/mcp-servers';
import { limits } from '@parley/contract/limits';
import type { Transaction } from '../../../platform/db/database.ts';
import type { PageRequest } from '../../../platform/db/page.ts';
import type { AddressPolicy } from '../../../platform/egress/address-policy.ts';
import { ApiError } from '../../../platform/http/api-error.ts';
import type { Context } from '../../../platform/http/context.ts';
import type { Ids } from '../../../platform/ids.ts';
import { type AuditLog, actorOf } from '../../access/audit/index.ts';
import type { ToolFact } from '../agents/index.ts';
import { checkEndpoint } from '../tools/index.ts';
import { asked, headersContext, type RefreshDeps, refresh } from './refresh.ts';
import type { StoredServer } from './store.ts';
import { type AllowRequest, pinned, usableTools, withStates } from './tool-list.ts';

export type McpServiceDeps = RefreshDeps & {
  ids: Ids;
  audit: AuditLog;
  policy: AddressPolicy;
  /** Our own API and MCP server: an agent that reaches them would have every power of the key. */
  ownAddresses(): readonly string[];
};

const default_timeout_ms = 8000;

export type McpService = ReturnType<typeof mcpService>;

export function mcpService(deps: McpServiceDeps) {
  const { store } = deps;
  return {
    create: (context: Context, request: McpServerCreate) => create(deps, context, request),
    async list(organization_id: string, page: PageRequest) {
      const { items, next_cursor } = await store.list(organization_id, page);
      return { items: items.map(shown), next_cursor };
    },
    get: async (organization_id: string, id: string): Promise<McpServer> =>
      shown(orNotFound(await store.find(organization_id, id))),
    update: (context: Context, id: string, patch: McpServerPatch) => update(deps, context, id, patch),
    async delete(context: Context, id: string): Promise<undefined> {
      await deps.db.transaction(async (tx) => {
        const { name } = orNotFound(await store.delete(tx, context.organization_id, id));
        await audit(deps, tx, context, 'mcp_server.deleted', { id, name });
      });
    },
    async refresh(organization_id: string, id: string): Promise<McpServer> {
      const server = orNotFound(await store.find(organization_id, id));
      return shown(orNotFound(await refresh(deps, server)));
    },
  };
}

const orNotFound = <T>(server: T | null): T => {
  if (!server) throw new ApiError('not_found');
  return server;
};

const nameTaken = (name: string) =>
  new ApiError('tool_name_taken', { detail: `Another MCP server is named ${name}.`, path: 'body.name' });

const audit = (
  { audit: log }: McpServiceDeps,
  tx: Transaction,
  context: Context,
  action: string,
  { id, name }: { id: string; name: string },
) =>
  log.write(tx, actorOf(context), {
    organization_id: context.organization_id,
    action,
    object_id: id,
    detail: { name },
  });

function shown(server: StoredServer): McpServer {
  const { headers_sealed: _, discovery: __, refresh_at: ___, allow, tools, ...rest } = server;
  return {
    ...rest,
    allow: allow.map(({ name, effect, approval = 'none' }) => ({ name, effect, approval })),
    tools: withStates(tools, allow),
    status: server.checked_at === null ? 'pending' : server.error === null ? 'ready' : 'failed',
  };
}

function checkAddress({ policy, ownAddresses }: McpServiceDeps, url: string): void {
  checkEndpoint(url, policy);
  if (!ownAddresses().some((own) => placeOf(own) === placeOf(url))) return;
  const message =
    'This is the address of this service itself: it would lend the agent every power of the key';
  throw new ApiError('target_not_allowed', {
    detail: `${message}.`,
    errors: [{ path: 'body.url', message, code: 'invalid' }],
  });
}

/** Host and port, where all names of this machine count as one. */
function placeOf(address: string): string {
  const { protocol, hostname, port } = new URL(address);
  const is_local = /^(localhost|.*\.localhost|127\.[\d.]+|\[::1?\]|0\.0\.0\.0)$/.test(hostname);
  return `${is_local ? 'local' : hostname}:${port || (protocol === 'https:' ? '443' : '80')}`;
}

const sealHeaders = (
  { sealer }: McpServiceDeps,
  server: { organization_id: string; id: string },
  headers: Record<string, string>,
) => ({
  header_names: Object.keys(headers),
  headers_sealed:
    Object.keys(headers).length === 0 ? null : sealer.seal(JSON.stringify(headers), headersContext(server)),
});

const allowed = (list: McpServerCreate['allow'] = []): AllowRequest[] =>
  list.map(({ effect = 'act', ...entry }) => ({ effect, ...entry }));

async function create(deps: McpServiceDeps, context: Context, request: McpServerCreate): Promise<McpServer> {
  checkAddress(deps, request.url);
  const { organization_id } = context;
  const now = deps.clock.now().toISOString();
  const ref = { organization_id, id: deps.ids.next() };
  const server = await asked(deps, {
    ...ref,
    name: request.name,
    url: request.url,
    ...sealHeaders(deps, ref, request.headers ?? {}),
    allow: pinned(allowed(request.allow), []),
    timeout_ms: request.timeout_ms ?? default_timeout_ms,
    tools: [],
    discovery: null,
    error: null,
    checked_at: null,
    refresh_at: now,
    created_at: now,
    updated_at: now,
  });
  await deps.db.transaction(async (tx) => {
    const inserted = await deps.store.insert(tx, organization_id, server);
    if (inserted === 'too_many') {
      const detail = `An organization may have ${limits.mcp_servers} MCP servers.`;
      throw new ApiError('too_many_tools', { detail });
    }
    if (inserted === 'duplicate') throw nameTaken(server.name);
    await audit(deps, tx, context, 'mcp_server.created', server);
  });
  return shown(server);
}

async function update(
  deps: McpServiceDeps,
  context: Context,
  id: string,
  patch: McpServerPatch,
): Promise<McpServer> {
  const { organization_id } = context;
  if (patch.url !== undefined) checkAddress(deps, patch.url);
  const { server, is_moved } = await deps.db.transaction(async (tx) => {
    const before = orNotFound(await deps.store.lock(tx, organization_id, id));
    const changed = patched(deps, before, patch);
    if ((await deps.store.replace(tx, organization_id, changed.server)) === 'duplicate')
      throw nameTaken(changed.server.name);
    await audit(deps, tx, context, 'mcp_server.changed', changed.server);
    return changed;
  });
  return shown(is_moved ? ((await refresh(deps, server)) ?? server) : server);
}

/** Another address is another server: nothing that was allowed or trusted before holds for it. */
function patched(deps: McpServiceDeps, before: StoredServer, patch: McpServerPatch) {
  const url = patch.url ?? before.url;
  const is_elsewhere = new URL(url).origin !== new URL(before.url).origin;
  const is_moved = url !== before.url || patch.headers !== undefined;
  const headers = patch.headers ?? (is_elsewhere ? {} : null);
  const tools = url === before.url ? before.tools : [];
  const kept = is_elsewhere ? [] : before.allow;
  const server: StoredServer = {
    ...before,
    name: patch.name ?? before.name,
    url,
    timeout_ms: patch.timeout_ms ?? before.timeout_ms,
    ...(headers && sealHeaders(deps, before, headers)),
    tools,
    allow: patch.allow ? pinned(allowed(patch.allow), tools) : kept,
    ...(url !== before.url && { discovery: null, checked_at: null, error: null }),
    updated_at: deps.clock.now().toISOString(),
  };
  return { server, is_moved };
}

/** What the rules of agents need to know about the MCP servers in a list. */
export const mcpFacts =
  ({ store }: Pick<McpServiceDeps, 'store'>) =>
  async (organization_id: string, entries: readonly AgentToolEntry[]): Promise<ToolFact[]> => {
    const ids = entries.flatMap((entry) => (entry.type === 'mcp' ? [entry.server_id] : []));
    if (ids.length === 0) return [];
    const by_id = new Map((await store.findAll(organization_id, ids)).map((each) => [each.id, each]));
    return entries.flatMap((entry, index): ToolFact[] => {
      if (entry.type !== 'mcp') return [];
      const server = by_id.get(entry.server_id);
      const missing = server ? null : ('mcp_server_not_found' as const);
      const tools = server ? usableTools(server, entry.only) : [];
      const schema_bytes = tools.reduce((sum, tool) => sum + JSON.stringify(tool.input_schema).length, 0);
      return [{ index, missing, names: tools.map(({ model_name }) => model_name), schema_bytes, texts: [] }];
    });
  };
