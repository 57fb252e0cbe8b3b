// A rule-based model that needs no account: it does the tasks of the prompt one by one, confirms the answers and says goodbye.
import type { Llm, LlmChunk, LlmRequest } from '../llm.ts';
import { type Goal, goalsOf, principalOf } from './goals.ts';
import { forcedArguments } from './report.ts';
import { nextToolCall, saidOfResults } from './tool-use.ts';

type Reply = { text: string; hangs_up?: boolean };

const farewell = /\b(bye|goodbye|good-?bye|see you|have a (nice|good|great) day)\b/i;
const asks_whether_robot =
  /\b(are you|is this|am i (talking|speaking) (to|with)) (an? )?(robot|bot|machine|computer|ai|a\.i\.|human|real person)/i;
const asks_who = /\bwho('s| is| are)\b.*\b(this|calling|there|you|speaking)\b/i;
const asks_to_wait = /\b(hold on|one moment|just a (moment|second|minute)|wait|hang on)\b/i;
const asks_to_repeat =
  /\b(pardon|repeat|say (that|it) again|didn't (catch|hear|get)|did not (catch|hear|get)|what did you say|excuse me)\b/i;
const offers_help =
  /\b(how (can|may) (i|we) help|what can (i|we) do|how (can|may) i direct|what do you (need|want)|go (on|ahead)|yes\?$)/i;
const voicemail = /^\(You have reached a voicemail/;

export function offlineLlm(): Llm {
  return {
    name: 'offline',
    capabilities: { tools: true },
    async *reply(request) {
      request.signal.throwIfAborted();
      const { tool_choice } = request;
      if (typeof tool_choice === 'object') {
        const { name } = tool_choice;
        yield { tool_call: { call_id: `${name}_1`, name, arguments: forcedArguments(request, name) } };
        return;
      }
      const tool_call = nextToolCall(request);
      if (tool_call) {
        const is_after_result = request.turns.at(-1)?.role === 'tool';
        if (!is_after_result) yield { text: 'Let me do that for you.' };
        yield { tool_call };
        return;
      }
      const { text, hangs_up } = nextSentence(request);
      // Word by word, as larger models stream.
      for (const word of text.match(/\S+\s*/g) ?? []) {
        request.signal.throwIfAborted();
        yield { text: word } satisfies LlmChunk;
      }
      const can_end_call = request.tools?.some(({ name }) => name === 'end_call');
      if (hangs_up && can_end_call)
        yield { tool_call: { call_id: 'end_call_1', name: 'end_call', arguments: {} } };
    },
  };
}

function nextSentence(request: LlmRequest): Reply {
  const { system_prompt, turns } = request;
  // A note adds tasks to those of the prompt.
  const notes = turns.flatMap((turn) => (turn.role === 'note' ? [turn.content] : []));
  const goals = goalsOf([system_prompt, ...notes].join('\n'));
  const principal = principalOf(system_prompt);
  const said = turns.flatMap((turn) => (turn.role === 'assistant' ? [plain(turn.content)] : []));
  const done = saidGoals(goals, said);
  const open = goals.filter((goal) => !done.has(goal));
  const open_goals = goals.filter((goal) => done.has(goal));
  const last = turns.findLast(({ role }) => role !== 'tool');
  const heard = last?.role === 'user' ? last.content.trim() : '';

  const introduction = principal ? `I am calling for ${principal}.` : '';
  const goOn = (before: string): Reply => {
    if (open[0]) return { text: joined(before, open_goals.length === 0 ? introduction : '', open[0].said) };
    if (goals.length > 0) return { text: joined(before, 'That was all. Goodbye.'), hangs_up: true };
    return { text: joined(before, said.length === 0 ? 'How can I help you?' : 'Is there anything else?') };
  };

  if (voicemail.test(heard)) {
    return {
      text: joined(introduction, ...goals.map(({ noted }) => noted), 'Please call back. Goodbye.'),
      hangs_up: true,
    };
  }
  const results = saidOfResults(request);
  if (results !== null) return goOn(results);
  if (heard === '') return goOn('');
  if (heard.startsWith('(')) return goOn('Thank you.');
  if (farewell.test(heard)) return { text: 'Goodbye.', hangs_up: true };
  if (asks_whether_robot.test(heard))
    return { text: joined('Yes, I am an AI assistant.', (open_goals.at(-1) ?? open[0])?.said) };
  if (asks_to_wait.test(heard)) return { text: 'Of course, take your time.' };
  if (asks_to_repeat.test(heard) && open_goals.length > 0)
    return { text: joined('Of course.', open_goals.at(-1)!.said) };
  if (asks_who.test(heard))
    return goOn(joined('I am an AI assistant.', principal && `I am calling for ${principal}.`));
  // A greeting, or other talk before our first question.
  if (open_goals.length === 0 && (goals.length > 0 || said.length === 0)) return goOn('');
  if (goals.length === 0 && said.length > 0 && /^\W*(no|nope|nothing|that('s| is) all)\b/i.test(heard)) {
    return { text: 'Thank you. Goodbye.', hangs_up: true };
  }
  if (offers_help.test(heard)) return goOn('');
  if (heard.endsWith('?'))
    return {
      text: joined('I am afraid I do not know that.', goOn('').text),
      hangs_up: goOn('').hangs_up ?? false,
    };
  return goOn(goals.length > 0 ? `Thank you, I have noted: ${short(heard)}.` : 'I understand.');
}

/**
 * The goals that were said already. An interrupted sentence counts when 60 % of it was said and that part fits no
 * other goal (many questions start with "Could you tell me your"). A sentence counts for one goal only: the one with
 * the longest match.
 */
function saidGoals(goals: readonly Goal[], said: readonly string[]): ReadonlySet<Goal> {
  const candidates = goals.map((goal) => ({ goal, words: plain(goal.said).split(' ') }));
  const needed = candidates.map(({ words }, index) => {
    const shared = candidates.map((other, at) => (at === index ? 0 : sharedStart(words, other.words)));
    return Math.min(words.length, Math.max(3, Math.ceil(words.length * 0.6), ...shared.map((n) => n + 1)));
  });
  const goals_in_text = new Set<Goal>();
  for (const text of said) {
    let rest = ` ${text} `;
    for (;;) {
      const heard = candidates
        .map(({ goal, words }, index) => ({ goal, part: longestStartIn(words, rest, needed[index]!) }))
        .filter(({ goal, part }) => part !== '' && !goals_in_text.has(goal))
        .sort((a, b) => b.part.length - a.part.length)[0];
      if (!heard) break;
      goals_in_text.add(heard.goal);
      rest = rest.replace(` ${heard.part} `, ' | ');
    }
  }
  return goals_in_text;
}

const sharedStart = (one: readonly string[], other: readonly string[]): number => {
  const different = one.findIndex((word, index) => word !== other[index]);
  return different === -1 ? one.length : different;
};

/** The longest start of `words`, at least `needed` words long, that `text` contains; empty when there is none. */
function longestStartIn(words: readonly string[], text: string, needed: number): string {
  for (let length = words.length; length >= needed; length--) {
    const part = words.slice(0, length).join(' ');
    if (text.includes(` ${part} `)) return part;
  }
  return '';
}

const plain = (text: string) =>
  text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s]/gu, '')
    .replaceAll(/\s+/g, ' ')
    .trim();
const joined = (...parts: (string | null | undefined)[]) => parts.filter((part) => part).join(' ');
const short = (heard: string) =>
  heard
    .replace(/[.!?,]{1,10}$/, '')
    .split(/\s+/)
    .slice(0, 12)
    .join(' ');
