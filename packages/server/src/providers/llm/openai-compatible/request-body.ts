// Builds the body of a chat completions request.
import type { LlmRequest, ToolChoice, Turn } from '../llm.ts';
import type { OpenAiCompatibleSettings } from './settings.ts';
import { strictSchema } from './strict-schema.ts';

export function requestBody(request: LlmRequest, settings: OpenAiCompatibleSettings) {
  const { system_prompt, channel_instructions, turns, tools = [], tool_choice, response_schema } = request;
  const system = [system_prompt, channel_instructions].filter((part) => part).join('\n\n');
  const { include_usage = true, max_tokens_field = 'max_tokens' } = settings;
  return {
    model: request.model ?? settings.model,
    stream: true,
    ...(include_usage && { stream_options: { include_usage } }),
    ...(request.temperature !== undefined && { temperature: request.temperature }),
    ...(request.max_output_tokens !== undefined && { [max_tokens_field]: request.max_output_tokens }),
    messages: [...(system === '' ? [] : [{ role: 'system', content: system }]), ...turns.map(messageOf)],
    ...(tools.length > 0 && { tools: tools.map((tool) => ({ type: 'function', function: tool })) }),
    ...(tools.length > 0 && tool_choice && { tool_choice: choiceOf(tool_choice) }),
    ...(response_schema && {
      response_format: {
        type: 'json_schema',
        json_schema: { name: 'reply', strict: true, schema: strictSchema(response_schema) },
      },
    }),
  };
}

function messageOf(turn: Turn) {
  if (turn.role === 'tool') return { role: 'tool', tool_call_id: turn.call_id, content: turn.content };
  if (turn.role === 'note') return { role: 'system', content: turn.content };
  if (turn.role === 'user' || !turn.tool_calls?.length) return { role: turn.role, content: turn.content };
  return {
    role: 'assistant',
    content: turn.content === '' ? null : turn.content,
    tool_calls: turn.tool_calls.map((call) => ({
      id: call.call_id,
      type: 'function',
      function: { name: call.name, arguments: JSON.stringify(call.arguments) },
    })),
  };
}

const choiceOf = (choice: ToolChoice) =>
  typeof choice === 'object' ? { type: 'function', function: { name: choice.name } } : choice;
