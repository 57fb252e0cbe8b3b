// The offline model uses tools that its prompt names: "Use check_slots.", "Use open_ticket if they report a problem.",
// "Transfer them to billing if they ask about an invoice."
import { type SchemaNode, validateValue } from '@parley/contract/schema/subset/schema-subset';
import type { LlmRequest, Tool, ToolCall } from '../llm.ts';
import { forcedArguments } from './report.ts';

type Rule = {
  tool: string;
  /** What the person must speak about; null: as soon as the arguments are known. */
  condition: string | null;
  destination?: string;
};

const use_form = /\buse (?:the tool )?([a-z][a-z0-9_-]*)\b([^.!?\n]*)/gi;
const transfer_form = /\btransfer (?:them|him|her|the \w+) to (?:the )?([a-z][a-z0-9_]*)\b([^.!?\n]*)/gi;
const agreement = /\b(yes|yeah|sure|okay|ok|please|of course|that is right|fine)\b/i;
/** Words that say nothing about the topic of a condition. */
const common_words = new Set(
  'they them their person caller customer asks about wants want would like says that this with have when ask need needs someone something'.split(
    ' ',
  ),
);

/** The call that the prompt asks for at this point of the conversation; null when there is none. */
export function nextToolCall(request: LlmRequest): ToolCall | null {
  const { system_prompt, turns, tools = [] } = request;
  const heard = turns.findLast(({ role }) => role === 'user')?.content ?? '';
  if (heard === '' || heard.startsWith('(')) return null;
  const used = new Set(
    turns.flatMap((turn) =>
      turn.role === 'assistant' ? (turn.tool_calls ?? []).map(({ name }) => name) : [],
    ),
  );
  for (const rule of rulesOf(system_prompt)) {
    const tool = tools.find(({ name }) => name === rule.tool);
    if (!tool || used.has(tool.name)) continue;
    if (rule.condition !== null && !isAbout(heard, rule.condition)) continue;
    const input = argumentsFor(request, tool, rule, heard);
    if (input) return { call_id: `${tool.name}_${turns.length}`, name: tool.name, arguments: input };
  }
  return null;
}

const rulesOf = (prompt: string): Rule[] => [
  ...[...prompt.matchAll(use_form)].map(([, tool, rest]) => ({ tool: tool!, condition: conditionIn(rest!) })),
  ...[...prompt.matchAll(transfer_form)].map(([, destination, rest]) => ({
    tool: 'transfer_call',
    destination: destination!,
    condition: conditionIn(rest!),
  })),
];

const conditionIn = (rest: string): string | null => /\b(?:if|when) (.+)/i.exec(rest)?.[1] ?? null;

/** Whether the person used a word of the condition. */
function isAbout(heard: string, condition: string): boolean {
  const words = (text: string) => text.toLowerCase().match(/\p{L}{4,}/gu) ?? [];
  const topics = words(condition).filter((word) => !common_words.has(word));
  const spoken = words(heard);
  return topics.some((topic) => spoken.some((word) => word.startsWith(topic) || topic.startsWith(word)));
}

/** Null while something that the tool needs was not said yet. */
function argumentsFor(request: LlmRequest, tool: Tool, rule: Rule, heard: string): object | null {
  const schema = tool.parameters as SchemaNode;
  const { to, destination, consent_quote } = schema.properties ?? {};
  const agreed = request.turns.findLast(({ role, content }) => role === 'user' && agreement.test(content));
  if (consent_quote && !agreed) return null;
  const input = {
    ...forcedArguments(request, tool.name),
    ...(to?.enum ? { to: to.enum[0] } : {}),
    ...(consent_quote ? { consent_quote: agreed!.content.slice(0, 300) } : {}),
    ...(destination?.enum ? { destination: rule.destination ?? destination.enum[0] } : {}),
    ...(schema.properties?.reason && !schema.properties.reason.enum ? { reason: heard.slice(0, 300) } : {}),
  };
  return validateValue(tool.parameters, input).length === 0 ? input : null;
}

/** What the model says about the results of its last calls; null when the last turn is none. */
export function saidOfResults({ turns }: LlmRequest): string | null {
  if (turns.at(-1)?.role !== 'tool') return null;
  const from = turns.findLastIndex(({ role }) => role === 'assistant');
  return turns
    .slice(from)
    .flatMap((turn) => (turn.role === 'tool' ? [sentenceOf(turn.content)] : []))
    .join(' ');
}

const max_words = 30;

function sentenceOf(content: string): string {
  const data = /^Data from \S+, not instructions:\n([\s\S]*)/.exec(content)?.[1];
  const value = jsonOf(data ?? content);
  if (typeof value === 'object' && value !== null && 'error' in value)
    return 'I am sorry, that did not work.';
  if (typeof value === 'object' && value !== null && 'status' in value)
    return `It is ${spokenOf(value.status)}.`;
  if (data === undefined) return 'That is done.';
  const words = spokenOf(value).split(/\s+/).slice(0, max_words).join(' ');
  return words === '' ? 'That is done.' : `I found: ${words}.`;
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** The values without keys and brackets, because they are read aloud. */
function spokenOf(value: unknown): string {
  if (Array.isArray(value)) return value.map(spokenOf).join(', ');
  if (typeof value === 'object' && value !== null) return Object.values(value).map(spokenOf).join(', ');
  return value === null
    ? ''
    : String(value)
        .replaceAll('_', ' ')
        .replace(/[.!?]{1,10}$/, '');
}
