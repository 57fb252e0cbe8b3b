// Builds the body of a request to the Anthropic Messages API.
import type { LlmRequest, Turn } from '../llm.ts';

type Block =
  | { type: 'text'; text: string }
  | { type: 'tool_use'; id: string; name: string; input: unknown }
  | { type: 'tool_result'; tool_use_id: string; content: string };
type Message = { role: 'user' | 'assistant'; content: Block[] };

/** The API needs a first message of the user, also when the agent speaks first. */
const start: Message = { role: 'user', content: [{ type: 'text', text: '(The conversation begins.)' }] };

export function requestBody(request: LlmRequest, settings: { model: string; max_tokens: number }) {
  const { system_prompt, channel_instructions, turns, tools = [] } = request;
  const system = [system_prompt, channel_instructions].filter((part) => part).join('\n\n');
  return {
    model: request.model ?? settings.model,
    max_tokens: settings.max_tokens,
    stream: true,
    ...(system === '' ? {} : { system }),
    messages: messagesOf(turns),
    ...(tools.length > 0 && {
      tools: tools.map(({ name, description, parameters }) => ({
        name,
        description,
        input_schema: parameters,
      })),
    }),
  };
}

/** Turns of one role follow each other as one message: all results of a turn must be in the same one. */
function messagesOf(turns: readonly Turn[]): Message[] {
  const messages: Message[] = [];
  for (const turn of turns) {
    const role = turn.role === 'assistant' ? 'assistant' : 'user';
    const content = blocksOf(turn);
    const last = messages.at(-1);
    if (content.length === 0) continue;
    if (last?.role === role) last.content.push(...content);
    else messages.push({ role, content });
  }
  return messages[0]?.role === 'user' ? messages : [start, ...messages];
}

function blocksOf(turn: Turn): Block[] {
  if (turn.role === 'tool')
    return [{ type: 'tool_result', tool_use_id: turn.call_id, content: turn.content }];
  // The API refuses empty texts.
  const text: Block[] = turn.content.trim() === '' ? [] : [{ type: 'text', text: turn.content }];
  if (turn.role === 'user') return text;
  const calls = (turn.tool_calls ?? []).map(
    ({ call_id, name, arguments: input }): Block => ({
      type: 'tool_use',
      id: call_id,
      name,
      input: typeof input === 'object' && input !== null ? input : {},
    }),
  );
  return [...text, ...calls];
}
