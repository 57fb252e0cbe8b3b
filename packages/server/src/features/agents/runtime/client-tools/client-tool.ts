// Client tools: the service publishes an event, and any program of the organization answers over the API.
import type { AgentToolEntry } from '@parley/contract/agents/agent-fields';
import type { AgentTool, ToolContext } from '../agent-tool.ts';
import { withCheckedArguments } from '../built-in/built-in-tool.ts';
import type { ClientAnswers } from './client-answers.ts';

const default_timeout_ms = 10_000;
const default_slow_after_ms = 2500;

export function clientTool(
  answers: Pick<ClientAnswers, 'wait'>,
  { organization_id }: ToolContext,
  entry: Extract<AgentToolEntry, { type: 'client' }>,
): AgentTool {
  const { name, description, parameters, speech } = entry;
  return {
    name,
    description,
    parameters,
    kind: 'client',
    effect: entry.effect ?? 'act',
    timeout_ms: entry.timeout_ms ?? default_timeout_ms,
    speech: speech
      ? {
          start: speech.start ?? null,
          slow_after_ms: speech.slow_after_ms ?? default_slow_after_ms,
          slow: speech.slow ?? [],
          failed: speech.failed ?? null,
        }
      : null,
    redact: [],
    runs_alone: false,
    approval: entry.approval,
    run: withCheckedArguments(parameters, ({ tool_call_id, signal }) =>
      answers.wait({ organization_id, id: tool_call_id }, signal),
    ),
  };
}
