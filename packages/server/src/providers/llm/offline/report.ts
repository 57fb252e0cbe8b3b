// The offline model as reporter: fills the tool `report` about a conversation from its transcript, by rules.
import type { SchemaNode } from '@parley/contract/schema/subset/schema-subset';
import type { LlmRequest } from '../llm.ts';
import { readDate, readTranscript, type TranscriptLine } from '../transcript-text.ts';
import { type Dialogue, extract } from './extract.ts';
import { type Goal, goalsOf } from './goals.ts';

/** The arguments for a tool that the request demands, taken from the conversation. */
export function forcedArguments({ turns, tools = [], system_prompt }: LlmRequest, name: string): object {
  const parameters = (tools.find((tool) => tool.name === name)?.parameters ?? {}) as SchemaNode;
  const whole = turns.findLast(({ role }) => role === 'user')?.content ?? '';
  const lines_of_transcript = readTranscript(whole);
  const today = readDate(whole) ?? '1970-01-01';
  if (name === 'report' && lines_of_transcript.length > 0)
    return report(parameters, { lines: lines_of_transcript, today }, goalsOf(system_prompt));
  const lines = turns.flatMap(({ role, content }, index): TranscriptLine[] =>
    role === 'user' || role === 'assistant'
      ? [{ number: index + 1, speaker: role === 'user' ? 'person' : 'agent', text: content }]
      : [],
  );
  return withMissingTexts(parameters, extract(parameters, { lines, today }).value, lines);
}

function report({ properties = {} }: SchemaNode, dialogue: Dialogue, goals: Goal[]): object {
  const { value, evidence } = properties.result
    ? extract(properties.result, dialogue)
    : { value: null, evidence: {} };
  const answered = goals.map((goal) => ({ goal, answer: answerTo(goal, dialogue.lines) }));
  const count = answered.filter(({ answer }) => answer !== null).length;
  return {
    ...(properties.result ? { result: value, evidence } : {}),
    summary: summaryOf(answered, dialogue.lines),
    success: goals.length === 0 ? null : count === goals.length,
    success_reason: goals.length === 0 ? null : `The person answered ${count} of ${goals.length} tasks.`,
  };
}

/** What the person said after the agent said the task; null when it was not said or nobody answered. */
function answerTo({ said }: Goal, lines: readonly TranscriptLine[]): string | null {
  const asked = lines.findIndex(
    ({ speaker, text }) => speaker === 'agent' && plain(text).includes(plain(said)),
  );
  if (asked < 0) return null;
  const next = lines[asked + 1];
  return next?.speaker === 'person' ? next.text : null;
}

const max_summary_chars = 600;

function summaryOf(
  answered: { goal: Goal; answer: string | null }[],
  lines: readonly TranscriptLine[],
): string {
  const parts = answered.map(({ goal, answer }) =>
    answer === null ? `Not answered: ${goal.said}` : `${goal.said} Answer: ${answer}`,
  );
  const said = lines.flatMap(({ speaker, text }) => (speaker === 'person' ? [text] : []));
  if (parts.length === 0) parts.push(`The person said: ${said.join(' ')}`);
  const text = parts.join(' ');
  return text.length <= max_summary_chars ? text : `${text.slice(0, max_summary_chars - 1).toWellFormed()}…`;
}

/** A tool that must be called needs its required texts: the last words of the person are the best guess. */
function withMissingTexts(
  schema: SchemaNode,
  found: Record<string, unknown>,
  lines: readonly TranscriptLine[],
): object {
  const last = lines.findLast(({ speaker }) => speaker === 'person')?.text ?? '';
  const missing = (schema.required ?? []).filter(
    (name) => !(name in found) && [schema.properties?.[name]?.type].flat().includes('string'),
  );
  return { ...found, ...Object.fromEntries(missing.map((name) => [name, last])) };
}

const plain = (text: string) =>
  text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
