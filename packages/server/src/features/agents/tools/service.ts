// The rules of tools: which URLs are allowed, what is sealed, how a secret is replaced.
import { completeSpeech } from '@parley/contract/agents/agent-defaults';
import type { AgentToolEntry } from '@parley/contract/agents/agent-fields';
import type {
  Tool,
  ToolCreate,
  ToolPatch,
  ToolTest,
  ToolTestResult,
  ToolWithSecret,
} from '@parley/contract/agents/tools';
import { limits } from '@parley/contract/limits';
import { textsIn } from '@parley/contract/schema/templates';
import type { Transaction } from '../../../platform/db/database.ts';
import type { PageRequest } from '../../../platform/db/page.ts';
import { ApiError } from '../../../platform/http/api-error.ts';
import type { Context } from '../../../platform/http/context.ts';
import { newSecret } from '../../../protocols/webhook-signature.ts';
import { actorOf } from '../../access/audit/index.ts';
import { requireVariables, type ToolFact } from '../agents/index.ts';
import type { ToolServiceDeps } from './agent-tools.ts';
import { runHttpTool } from './agent-tools.ts';
import { checkEndpoint } from './check-endpoint.ts';
import { sealHeaders, sealSecret } from './secrets.ts';
import type { StoredTool } from './store.ts';

const default_timeout_ms = 8000;
const secret_overlap_ms = limits.webhook_secret_overlap_hours * 3_600_000;

export type ToolService = ReturnType<typeof toolService>;

export function toolService(deps: ToolServiceDeps) {
  const { store } = deps;
  return {
    create: (context: Context, request: ToolCreate) => create(deps, context, request),
    list: (organization_id: string, page: PageRequest) => store.list(organization_id, page),
    get: async (organization_id: string, id: string): Promise<Tool> =>
      orNotFound(await store.find(organization_id, id)),
    update: (context: Context, id: string, patch: ToolPatch) =>
      change(deps, context, id, 'tool.changed', (before) => patched(deps, before, patch)),
    delete: (context: Context, id: string) => remove(deps, context, id),
    test: (context: Context, id: string, request: ToolTest) => test(deps, context, id, request),

    async rotateSecret(context: Context, id: string): Promise<ToolWithSecret> {
      const secret = newSecret();
      const tool = await change(deps, context, id, 'tool.secret_rotated', (before) => ({
        ...before,
        secret_sealed: sealSecret(deps.sealer, before, secret),
        previous_secret_sealed: before.secret_sealed,
        previous_secret_expires_at: new Date(deps.expiry_clock.ms() + secret_overlap_ms).toISOString(),
      }));
      return { ...tool, secret };
    },
  };
}

const orNotFound = <T>(tool: T | null): T => {
  if (!tool) throw new ApiError('not_found');
  return tool;
};

const nameTaken = (name: string) =>
  new ApiError('tool_name_taken', { detail: `Another tool is named ${name}.`, path: 'body.name' });

async function create(deps: ToolServiceDeps, context: Context, request: ToolCreate): Promise<ToolWithSecret> {
  checkEndpoint(request.url, deps.policy);
  const { organization_id } = context;
  const now = deps.clock.now().toISOString();
  const ref = { organization_id, id: deps.ids.next() };
  const headers = request.headers ?? {};
  const tool: Tool = {
    ...ref,
    type: 'http',
    name: request.name,
    description: request.description,
    parameters: request.parameters,
    fixed: request.fixed ?? {},
    url: request.url,
    header_names: Object.keys(headers),
    effect: request.effect ?? 'act',
    timeout_ms: request.timeout_ms ?? default_timeout_ms,
    speech: completeSpeech(request.speech),
    redact: request.redact ?? [],
    approval: request.approval ?? 'none',
    previous_secret_expires_at: null,
    created_at: now,
    updated_at: now,
  };
  const secret = newSecret();
  const sealed = {
    headers_sealed: sealHeaders(deps.sealer, ref, headers),
    secret_sealed: sealSecret(deps.sealer, ref, secret),
    previous_secret_sealed: null,
  };
  await deps.db.transaction(async (tx) => {
    const inserted = await deps.store.insert(tx, organization_id, { ...tool, ...sealed });
    if (inserted === 'too_many')
      throw new ApiError('too_many_tools', { detail: `An organization may have ${limits.tools} tools.` });
    if (inserted === 'duplicate') throw nameTaken(tool.name);
    await audit(deps, tx, context, 'tool.created', tool);
  });
  return { ...tool, secret };
}

const audit = (
  { audit: log }: ToolServiceDeps,
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

async function change(
  deps: ToolServiceDeps,
  context: Context,
  id: string,
  action: string,
  changed: (before: StoredTool) => StoredTool,
): Promise<Tool> {
  const { organization_id } = context;
  const after = await deps.db.transaction(async (tx) => {
    const before = orNotFound(await deps.store.lock(tx, organization_id, id));
    const tool = { ...changed(before), updated_at: deps.clock.now().toISOString() };
    if ((await deps.store.replace(tx, organization_id, tool)) === 'duplicate') throw nameTaken(tool.name);
    await audit(deps, tx, context, action, tool);
    return tool;
  });
  const { headers_sealed: _, secret_sealed: __, previous_secret_sealed: ___, ...tool } = after;
  return tool;
}

/** Headers were meant for the old address, so a new address without headers gets none. */
function patched(deps: ToolServiceDeps, before: StoredTool, patch: ToolPatch): StoredTool {
  if (patch.url !== undefined) checkEndpoint(patch.url, deps.policy);
  const { headers: given, speech, ...rest } = patch;
  const is_moved = patch.url !== undefined && new URL(patch.url).origin !== new URL(before.url).origin;
  const headers = given ?? (is_moved ? {} : null);
  const fields = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined));
  return {
    ...before,
    ...fields,
    ...(speech !== undefined && { speech: completeSpeech(speech) }),
    ...(headers && {
      header_names: Object.keys(headers),
      headers_sealed: sealHeaders(deps.sealer, before, headers),
    }),
  };
}

async function remove(deps: ToolServiceDeps, context: Context, id: string): Promise<undefined> {
  await deps.db.transaction(async (tx) => {
    const { name } = orNotFound(await deps.store.delete(tx, context.organization_id, id));
    await audit(deps, tx, context, 'tool.deleted', { id, name });
  });
}

async function test(
  deps: ToolServiceDeps,
  { organization_id }: Context,
  id: string,
  request: ToolTest,
): Promise<ToolTestResult> {
  const [tool] = await deps.store.sealed(organization_id, [id]);
  const stored = orNotFound(tool ?? null);
  const variables = request.variables ?? {};
  requireVariables(textsIn(stored.fixed, 'tool.fixed'), variables);
  const started_ms = performance.now();
  const result = await runHttpTool(deps, stored, {
    tool_call_id: deps.ids.next(),
    arguments: request.arguments ?? {},
    context: null,
    variables,
    timeout_ms: stored.timeout_ms,
    signal: new AbortController().signal,
  });
  const is_done = result.outcome === 'done';
  return {
    outcome: result.outcome,
    content: is_done ? result.content : null,
    say: (is_done && result.say) || null,
    instruct: (is_done && result.instruct) || null,
    error: is_done ? null : result.error,
    detail: is_done ? null : result.detail,
    duration_ms: Math.round(performance.now() - started_ms),
  };
}

/** What the rules of agents need to know about the HTTP tools in a list. */
export const toolFacts =
  ({ store }: Pick<ToolServiceDeps, 'store'>) =>
  async (organization_id: string, entries: readonly AgentToolEntry[]): Promise<ToolFact[]> => {
    const ids = entries.flatMap((entry) => (entry.type === 'tool' ? [entry.tool_id] : []));
    if (ids.length === 0) return [];
    const by_id = new Map((await store.sealed(organization_id, ids)).map((tool) => [tool.id, tool]));
    return entries.flatMap((entry, index): ToolFact[] => {
      if (entry.type !== 'tool') return [];
      const tool = by_id.get(entry.tool_id);
      if (!tool) return [{ index, missing: 'tool_not_found', names: [], schema_bytes: 0, texts: [] }];
      const { name, fixed, speech, parameters } = tool;
      const schema_bytes = JSON.stringify(parameters).length;
      const texts = [...textsIn(fixed, `tools.${name}.fixed`), ...textsIn(speech, `tools.${name}.speech`)];
      return [{ index, missing: null, names: [name], schema_bytes, texts }];
    });
  };
