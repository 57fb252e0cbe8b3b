// The offered tools: read once from the generated table and selected by toolset.
import { readFileSync } from 'node:fs';
import type { WaitsFor } from './tool-entry.ts';

/** How a record is changed before a model sees it. */
export type Plan = {
  /** Fields to remove. */
  hide?: string[];
  /** Fields written by other people, moved into `untrusted_content`. */
  label?: string[];
  /** Fields that are moved unless the value is a phone number. */
  label_unless_phone?: string[];
  inside?: Record<string, Plan>;
};

export type ToolDefinition = {
  name: string;
  title: string;
  description: string;
  inputSchema: {
    type: 'object';
    properties: Record<string, unknown>;
    required?: string[];
    additionalProperties: false;
  };
  outputSchema: Record<string, unknown>;
  annotations: {
    readOnlyHint: boolean;
    destructiveHint?: boolean;
    idempotentHint?: boolean;
    openWorldHint: boolean;
  };
};

export type ToolCall = {
  method: string;
  path: string;
  params: string[];
  input: 'body' | 'query' | 'upload' | null;
  idempotent?: true;
  consent?: true;
  waits_for?: WaitsFor;
  /** How the records are shown that a wait can end with. */
  record_plans?: Record<string, Plan>;
  defaults?: Readonly<Record<string, unknown>>;
  plan?: Plan;
};

export type CompiledTool = { toolset: string; definition: ToolDefinition; call: ToolCall };

export type ToolSet = {
  definitions: readonly ToolDefinition[];
  byName: ReadonlyMap<string, CompiledTool>;
};

const everyTool = (): CompiledTool[] =>
  JSON.parse(readFileSync(new URL('../mcp-tools.json', import.meta.url), 'utf8'));

export const toolsetNames = (tools: readonly CompiledTool[] = everyTool()): string[] => [
  ...new Set(tools.map(({ toolset }) => toolset)),
];

/** An unknown toolset is an error: silently missing tools would be hard to notice. */
export class UnknownToolset extends Error {
  override name = 'UnknownToolset';
}

/**
 * `toolsets` may contain `all`. With `read_only` no tool that sends or changes anything is offered, whatever the
 * toolsets.
 */
export function chooseTools(options: { toolsets: readonly string[]; read_only: boolean }): ToolSet {
  const tools = everyTool();
  const toolset_names = toolsetNames(tools);
  const unknown = options.toolsets.filter((name) => name !== 'all' && !toolset_names.includes(name));
  if (unknown.length > 0)
    throw new UnknownToolset(
      `Unknown MCP toolset ${unknown.join(', ')}. Choose from: all, ${toolset_names.join(', ')}.`,
    );
  const chosen = tools.filter(
    ({ toolset, definition }) =>
      (options.toolsets.includes('all') || options.toolsets.includes(toolset)) &&
      (!options.read_only || definition.annotations.readOnlyHint),
  );
  return {
    definitions: chosen.map(({ definition }) => definition),
    byName: new Map(chosen.map((tool) => [tool.definition.name, tool])),
  };
}
