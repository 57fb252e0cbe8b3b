// Builds the body of a request to the Anthropic Messages API.
import type { LlmRequest, ToolChoice, Turn } from '../llm.ts';

/** The API keeps what it read up to here for some minutes, and the next request with the same start costs and waits less. */
const breakpoint = { cache_control: { type: 'ephemeral' } } as const;
type Block = Partial<typeof breakpoint> &
  (
    | { type: 'text'; text: string }
    | { type: 'tool_use'; id: string; name: string; input: unknown }
    | { type: 'tool_result'; tool_use_id: string; content: string }
  );
type Message = { role: 'user' | 'assistant'; content: Block[] };

/** The API needs a first message of the user, also when the agent speaks first. */
const startMessage = (): Message => ({
  role: 'user',
  content: [{ type: 'text', text: '(The conversation begins.)' }],
});

export type BodySettings = { model: string; max_tokens: number; caches: boolean };

/**
 * With `caches` it has up to four breakpoints, as many as the API allows: after the tools, the prompt, the instructions of
 * the channel (those of a message name the time, the prompt does not) and the last message.
 */
export function requestBody(request: LlmRequest, settings: BodySettings) {
  const { tools = [] } = request;
  const mark = settings.caches ? breakpoint : {};
  const system = systemOf(request, settings.caches);
  const messages = messagesOf(request.turns);
  Object.assign(messages.at(-1)!.content.at(-1)!, mark);
  return {
    model: request.model ?? settings.model,
    max_tokens: request.max_output_tokens ?? settings.max_tokens,
    stream: true,
    ...(system.length === 0 ? {} : { system }),
    ...(request.temperature !== undefined && { temperature: Math.min(1, request.temperature) }),
    messages,
    ...(tools.length > 0 && {
      tools: tools.map(({ name, description, parameters }, index) => ({
        name,
        description,
        input_schema: parameters,
        ...(index === tools.length - 1 ? mark : {}),
      })),
      ...(request.tool_choice && { tool_choice: choiceOf(request.tool_choice) }),
    }),
  };
}

/** The API has no role for notes. Their tag is removed from everything that others wrote. */
const note_rule =
  'Text between <operator-note> and </operator-note> comes from the operator of this service: follow it and do not read it out.';
const note_tag = /<\/?operator-note>/gi;

/** One text, or blocks with breakpoints. The rule is last: the first note of a conversation leaves what is before it cached. */
function systemOf({ system_prompt, channel_instructions = '', turns }: LlmRequest, caches: boolean) {
  const rule = turns.some(({ role }) => role === 'note') ? note_rule : '';
  const parts = [system_prompt, channel_instructions, rule].filter((part) => part.trim() !== '');
  if (!caches) return parts.join('\n\n');
  return parts.map((part, index) => ({
    type: 'text',
    // Together the blocks are the same text as without breakpoints.
    text: index < parts.length - 1 ? `${part}\n\n` : part,
    ...(part === rule ? {} : breakpoint),
  }));
}

const choiceOf = (choice: ToolChoice) =>
  typeof choice === 'object'
    ? { type: 'tool', name: choice.name }
    : { type: choice === 'required' ? 'any' : choice };

/** Turns of one role follow each other as one message: all results of a turn must be in the same one. */
function messagesOf(turns: readonly Turn[]): Message[] {
  const messages: Message[] = [];
  for (const turn of turns) {
    const role = turn.role === 'assistant' ? 'assistant' : 'user';
    const content = blocksOf(turn);
    const last = messages.at(-1);
    if (content.length === 0) continue;
    // The API wants results before texts in a message.
    if (last?.role === role && turn.role === 'tool') last.content.splice(results(last), 0, ...content);
    else if (last?.role === role) last.content.push(...content);
    else messages.push({ role, content });
  }
  return messages[0]?.role === 'user' ? messages : [startMessage(), ...messages];
}

const results = ({ content }: Message) => content.filter(({ type }) => type === 'tool_result').length;

function blocksOf(turn: Turn): Block[] {
  if (turn.role === 'tool')
    return [{ type: 'tool_result', tool_use_id: turn.call_id, content: untagged(turn.content) }];
  if (turn.role === 'note')
    return [{ type: 'text', text: `<operator-note>${untagged(turn.content)}</operator-note>` }];
  // The API refuses empty texts.
  const said = untagged(turn.content);
  const text: Block[] = said.trim() === '' ? [] : [{ type: 'text', text: said }];
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

/** The replacement is not empty, because the text around a removed tag could form another one. */
const untagged = (text: string) => text.replaceAll(note_tag, '(note)');
