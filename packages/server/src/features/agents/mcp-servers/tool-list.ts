// Which tools of an MCP server may be used: those that were allowed, as long as their definition stays the same.
import { createHash } from 'node:crypto';
import type { ToolApproval } from '@parley/contract/agents/agent-fields';
import type { McpServer, McpToolState } from '@parley/contract/agents/mcp-servers';
import { limits } from '@parley/contract/limits';
import { canonicalJson } from '../../../protocols/canonical-json.ts';
import type { ToolEffect } from '../runtime/index.ts';

/** A tool as its server describes it. Annotations are claims of the server about itself and are not stored. */
export type McpToolDefinition = {
  name: string;
  description: string;
  input_schema: Record<string, unknown>;
};

/** `hash` is that of the definition when the tool was allowed; null: the server had not described it yet. */
export type AllowedTool = {
  name: string;
  effect: ToolEffect;
  hash: string | null;
  /** Missing in servers of an earlier release. */
  approval?: ToolApproval | undefined;
};

export const definitionHash = ({ name, description, input_schema }: McpToolDefinition): string =>
  createHash('sha256').update(canonicalJson({ name, description, input_schema })).digest('hex');

/** `definition_hash`: of the definition that was seen by whoever allows the tool. */
export type AllowRequest = Omit<AllowedTool, 'hash'> & { definition_hash?: string | undefined };

/** The hashes of the definitions that were seen, otherwise as they are now. */
export const pinned = (allow: readonly AllowRequest[], tools: readonly McpToolDefinition[]): AllowedTool[] =>
  allow.map(({ name, effect, approval, definition_hash }) => {
    const tool = tools.find((each) => each.name === name);
    return { name, effect, approval, hash: definition_hash ?? (tool ? definitionHash(tool) : null) };
  });

/** Tools that were allowed before the server described them get the hash of the first description. */
export const pinnedFirst = (
  allow: readonly AllowedTool[],
  tools: readonly McpToolDefinition[],
): AllowedTool[] => allow.map((each) => (each.hash === null ? pinned([each], tools)[0]! : each));

function stateOf(tool: McpToolDefinition, allow: readonly AllowedTool[]): McpToolState {
  if (!isSupported(tool)) return 'not_supported';
  const allowed = allow.find(({ name }) => name === tool.name);
  if (!allowed) return 'not_allowed';
  return allowed.hash === definitionHash(tool) ? 'allowed' : 'changed';
}

/** The list as the API shows it, with the allowed tools that the server no longer has. */
export function withStates(
  tools: readonly McpToolDefinition[],
  allow: readonly AllowedTool[],
): McpServer['tools'] {
  const gone = allow.filter(({ name }) => !tools.some((tool) => tool.name === name));
  return [
    ...tools.map((tool) => ({
      ...tool,
      definition_hash: definitionHash(tool),
      state: stateOf(tool, allow),
    })),
    ...gone.map(({ name }) => ({
      name,
      description: '',
      input_schema: {},
      definition_hash: null,
      state: 'gone' as const,
    })),
  ];
}

export type UsableTool = McpToolDefinition & Required<AllowedTool> & { model_name: string };

/** The allowed tools, and of those only the ones that an agent names. */
export function usableTools(
  server: { name: string; tools: readonly McpToolDefinition[]; allow: readonly AllowedTool[] },
  only: readonly string[] | undefined,
): UsableTool[] {
  const usable = server.tools.filter(
    (tool) => stateOf(tool, server.allow) === 'allowed' && (only?.includes(tool.name) ?? true),
  );
  const names = modelNames(
    server.name,
    usable.map(({ name }) => name),
  );
  return usable.map((tool) => ({
    ...tool,
    approval: 'none',
    ...server.allow.find(({ name }) => name === tool.name)!,
    model_name: names.get(tool.name)!,
  }));
}

const max_name_chars = 64;

/** Models accept [A-Za-z0-9_-]{1,64}. Names that become equal or too long end with four digits of their hash. */
export function modelNames(server_name: string, names: readonly string[]): Map<string, string> {
  const plain = (name: string) => `${server_name}__${name.replaceAll(/[^A-Za-z0-9_-]/g, '_')}`;
  const isTaken = (name: string) => names.some((other) => other !== name && plain(other) === plain(name));
  return new Map(
    names.map((name) => {
      if (plain(name).length <= max_name_chars && !isTaken(name)) return [name, plain(name)];
      const suffix = createHash('sha256').update(name).digest('hex').slice(0, 4);
      return [name, `${plain(name).slice(0, max_name_chars - 5)}_${suffix}`];
    }),
  );
}

/** The schema is passed to the model as it is, so it must be an object of limited size without references elsewhere. */
export function isSupported({ name, input_schema }: McpToolDefinition): boolean {
  const text = JSON.stringify(input_schema);
  return (
    name.length > 0 &&
    name.length <= 128 &&
    input_schema.type === 'object' &&
    Buffer.byteLength(text) <= limits.mcp_schema_bytes &&
    !hasRemoteReference(input_schema)
  );
}

function hasRemoteReference(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (Array.isArray(value)) return value.some(hasRemoteReference);
  return Object.entries(value).some(([key, inner]) =>
    (key === '$ref' || key === '$dynamicRef') && typeof inner === 'string'
      ? !inner.startsWith('#')
      : hasRemoteReference(inner),
  );
}
