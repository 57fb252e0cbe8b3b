// The rule-based model of a sandbox person: it agrees to the day, time and name of the request and answers common questions.
import type { Llm, Turn } from '../../../providers/llm/llm.ts';

type Rule = { hears: RegExp; says: string | ((heard: string) => string); hangs_up?: true };

const weekday = 'monday|tuesday|wednesday|thursday|friday|saturday|sunday';
const month = 'january|february|march|april|may|june|july|august|september|october|november|december';
const requested_day = new RegExp(
  `\\b(?:next |this )?(?:${weekday})\\b|\\b(?:today|tonight|tomorrow|next week)\\b|\\b(?:${month}) (?:the )?[a-z0-9-]+\\b`,
  'i',
);
const requested_time =
  /\bat ((?:half past |quarter (?:past|to) )?(?:\d{1,2}(?::\d{2})?|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|noon|midnight)(?: (?:thirty|fifteen|o'?clock))?(?: ?[ap]\.?m\b\.?)?)/i;
const requested_name = /\b(?:under the name(?: of)?|in the name of|my name is) ([a-z]+(?: [a-z]+)?)/i;

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

/** Agrees to the requested day and time, and proposes what is missing. */
function appointment(heard: string): string {
  const day = requested_day.exec(heard)?.[0];
  const time = requested_time.exec(heard)?.[1]?.replace(/\.$/, '');
  const name = requested_name.exec(heard)?.[1];
  const slot = day || time ? `${capital(day ?? 'Tuesday')} at ${time ?? 'ten'}` : 'Tuesday at ten';
  return `Yes, that is possible. ${slot} works for us${name ? `, under the name ${name}` : ''}.`;
}

const rules: Rule[] = [
  { hears: /\b(good-?bye|bye|farewell)\b/i, says: 'Goodbye.', hangs_up: true },
  { hears: /\bare you (still )?there\b/i, says: 'Yes, I am still here.' },
  { hears: /\byour name\b|\bwho am i (speaking|talking)\b/i, says: 'My name is Thomas Baker.' },
  { hears: /\b(open|opening|hours)\b/i, says: 'We are open from nine to five, Monday to Friday.' },
  { hears: /\b(cost|price|pay|how much|charge)\b/i, says: 'It costs twenty dollars.' },
  { hears: /\bstreet\b/i, says: 'It is Main Street, number twelve.' },
  { hears: /\b(city|town)\b/i, says: 'It is in Springfield.' },
  { hears: /\b(zip|postal|post) ?code\b/i, says: 'It is six two seven zero one.' },
  { hears: /\be-?mail\b/i, says: 'It is Thomas at example dot com.' },
  { hears: /\b(phone|telephone|mobile|number)\b/i, says: 'It is five five five, zero one two three.' },
  { hears: /\b(address|where are you|located)\b/i, says: 'We are at twelve Main Street.' },
  { hears: /\b(confirm|correct|is that right)\b/i, says: 'Yes, that is right.' },
  { hears: /\b(appointment|book|table|reserve|reservation|schedule|meeting|visit)\b/i, says: appointment },
  { hears: /\b(when|what time|which day|what day)\b/i, says: 'Tuesday at ten would be good.' },
  { hears: /\b(remind|let you know|inform)\b/i, says: 'Thank you for telling me.' },
  { hears: /\bhow are you\b/i, says: 'I am fine, thank you.' },
  { hears: /\b(could|can|would|will|do|is|are) (you|it|that|there)\b|\?/i, says: 'Yes, I think so.' },
  { hears: /\b(assistant|speaking|calling)\b/i, says: 'All right, what can I do for you?' },
];
const default_answer = 'I see. Please go on.';
const max_turns = 12;

export function personLlm(): Llm {
  return {
    name: 'person',
    capabilities: { tools: true },
    async *reply({ turns, signal }) {
      signal.throwIfAborted();
      const { text, hangs_up } = answerTo(turns);
      yield { text };
      if (hangs_up) yield { tool_call: { call_id: 'hang_up_1', name: 'hang_up', arguments: {} } };
    },
  };
}

/** The part with the request: the other party may have repeated the previous answer before it. */
function requestIn(heard: string): string {
  const starts = [...heard.matchAll(/\b(?:(?:could|can|would|may) (?:you|i)|i(?: would|'d) like) /gi)];
  return heard.slice(starts.at(-1)?.index ?? 0);
}

function answerTo(turns: Turn[]): { text: string; hangs_up?: boolean } {
  const heard = turns.findLast(({ role }) => role === 'user')?.content ?? '';
  if (turns.filter(({ role }) => role === 'assistant').length >= max_turns) {
    return { text: 'I am sorry, I have to go now. Goodbye.', hangs_up: true };
  }
  const request = requestIn(heard);
  const rule = rules.find(({ hears }) => hears.test(request));
  if (!rule) return { text: default_answer };
  const text = typeof rule.says === 'string' ? rule.says : rule.says(request);
  return { text, hangs_up: rule.hangs_up ?? false };
}
