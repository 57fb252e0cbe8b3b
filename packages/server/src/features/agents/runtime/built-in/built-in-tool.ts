// How the service declares its own tools.
import { validateValue } from '@parley/contract/schema/subset/schema-subset';
import { type AgentTool, failed, type ToolOutcome, type ToolRequest } from '../agent-tool.ts';

const usual_timeout_ms = 10_000;

export type BuiltInTool = {
  name: string;
  description: string;
  properties: Record<string, unknown>;
  required?: readonly string[];
  timeout_ms?: number;
  runs_alone?: boolean;
  approval?: AgentTool['approval'];
  identity?: string;
  run(request: ToolRequest): Promise<ToolOutcome>;
};

/** All built-in tools act. Arguments that do not fit the schema are refused before the tool runs. */
export function builtInTool(tool: BuiltInTool): AgentTool {
  const parameters = {
    type: 'object',
    properties: tool.properties,
    required: [...(tool.required ?? [])],
    additionalProperties: false,
  };
  return {
    name: tool.name,
    description: tool.description,
    parameters,
    kind: 'built_in',
    effect: 'act',
    timeout_ms: tool.timeout_ms ?? usual_timeout_ms,
    speech: null,
    redact: [],
    runs_alone: tool.runs_alone ?? false,
    ...(tool.approval ? { approval: tool.approval } : {}),
    ...(tool.identity ? { identity: tool.identity } : {}),
    run: withCheckedArguments(parameters, tool.run),
  };
}

/** The failure lists what is wrong, so that the model can correct itself. */
export const withCheckedArguments =
  (parameters: Record<string, unknown>, run: AgentTool['run']): AgentTool['run'] =>
  async (request) => {
    const problems = validateValue(parameters, request.arguments);
    if (problems.length === 0) return run(request);
    const list = problems.map(({ path, problem }) => `${path === '' ? 'arguments' : path}: ${problem}`);
    return failed('invalid_arguments', list.join('; '));
  };

export const done = (content: string): ToolOutcome => ({ outcome: 'done', content });
