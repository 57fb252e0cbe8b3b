// The rule-based model of a sandbox person: it takes up the day, time, name, number and amount of a request and answers common questions.
import type { Llm, Turn } from '../../../../providers/llm/llm.ts';

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
const count = '\\d{1,3}|two|three|four|five|six|seven|eight|nine|ten|twelve|twenty';
const requested_count = new RegExp(`\\bfor (${count})(?: (?:people|persons|guests))?\\b`, 'i');
const requested_reference = /\b(order|invoice|ticket|case|reservation) (?:number )?([a-z]{0,3}-?\d[\w-]*)/i;
const requested_amount =
  /\b(?:eur|usd|euros?|dollars?|[€$]) ?\d[\d.,]*|\b\d[\d.,]* ?(?:euros?|dollars?|eur|usd)\b/i;

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);
const dayIn = (heard: string) => requested_day.exec(heard)?.[0];
const timeIn = (heard: string) => requested_time.exec(heard)?.[1]?.replace(/\.$/, '');
/** "Friday at ten", with what was said of it; null when neither was. */
const slotIn = (heard: string): string | null => {
  const [day, time] = [dayIn(heard), timeIn(heard)];
  if (!day) return time ? `at ${time}` : null;
  return time ? `${day} at ${time}` : day;
};
const onDay = (slot: string) => (/^(at|today|tonight|tomorrow|next)\b/i.test(slot) ? slot : `on ${slot}`);

/** Agrees to the requested day and time, and proposes what is missing. */
function appointment(heard: string): string {
  const [day, time] = [dayIn(heard), timeIn(heard)];
  const guests = requested_count.exec(heard)?.[1];
  const name = requested_name.exec(heard)?.[1];
  const slot = day || time ? `${capital(day ?? 'Tuesday')} at ${time ?? 'ten'}` : 'Tuesday at ten';
  return `Yes, that is possible. ${slot} works for us${guests ? ` for ${guests}` : ''}${name ? `, under the name ${name}` : ''}.`;
}

function openingHours(heard: string): string {
  const day = dayIn(heard);
  if (day && /saturday|sunday/i.test(day)) return `No, we are closed on ${capital(day)}.`;
  if (day) return `Yes, ${onDay(capital(day))} we are open from nine to five.`;
  return 'We are open from nine to five, Monday to Friday.';
}

const confirmed = (heard: string): string => {
  const slot = slotIn(heard);
  const reference = requested_reference.exec(heard);
  const what = [reference && `${reference[1]} ${reference[2]}`, slot && onDay(slot)]
    .filter(Boolean)
    .join(' ');
  return what === '' ? 'Yes, that is right.' : `Yes, ${what}, that is right.`;
};

/** A payment that was asked for, or the price where none was. */
function payment(heard: string): string {
  if (!/\bpay/i.test(heard) || /\b(how much|what does|cost)/i.test(heard)) return 'It costs twenty dollars.';
  const amount = requested_amount.exec(heard)?.[0];
  return `I will pay ${amount ? `the ${amount} ` : ''}${onDay(slotIn(heard) ?? 'Friday')}.`;
}

const thanked = (heard: string): string => {
  const slot = slotIn(heard);
  return slot ? `Thank you for telling me. I have noted ${slot}.` : 'Thank you for telling me.';
};

const rules: Rule[] = [
  { hears: /\b(good-?bye|bye|farewell)\b/i, says: 'Goodbye.', hangs_up: true },
  { hears: /\bare you (still )?there\b/i, says: 'Yes, I am still here.' },
  { hears: /\byour name\b|\bwho am i (speaking|talking)\b/i, says: 'My name is Thomas Baker.' },
  { hears: /\b(open|opening|hours|closed)\b/i, says: openingHours },
  { hears: /\b(costs?|prices?|pay|paid|payment|how much|charges?)\b/i, says: payment },
  { hears: /\bhow many\b/i, says: 'We are four.' },
  { hears: /\bstreet\b/i, says: 'It is Main Street, number twelve.' },
  { hears: /\b(city|town)\b/i, says: 'It is in Springfield.' },
  { hears: /\b(zip|postal|post) ?code\b/i, says: 'It is six two seven zero one.' },
  { hears: /\be-?mail\b/i, says: 'It is Thomas at example dot com.' },
  {
    hears: /\b(?:phone|telephone|mobile)\b|\byour number\b/i,
    says: 'It is five five five, zero one two three.',
  },
  { hears: /\b(address|where are you|located)\b/i, says: 'We are at twelve Main Street.' },
  { hears: /\b(confirm|correct|is that right)\b/i, says: confirmed },
  { hears: /\b(appointment|book|table|reserve|reservation|schedule|meeting|visit)\b/i, says: appointment },
  {
    hears: /\b(when|what time|which day|what day)\b/i,
    says: (heard) => `${capital(slotIn(heard) ?? 'Tuesday at ten')} would be good.`,
  },
  { hears: /\b(remind|let you know|inform)\b/i, says: thanked },
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
      if (hangs_up) yield { tool_call: { call_id: 'end_call_1', name: 'end_call', arguments: {} } };
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
