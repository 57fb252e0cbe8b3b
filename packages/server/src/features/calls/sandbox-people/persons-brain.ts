// What the person who converses says: a few rules, so that any call makes sense to whoever listens.
import type { Llm, Turn } from '../../../providers/llm/llm.ts';

type Rule = { hears: RegExp; says: string; hangs_up?: true };

const rules: Rule[] = [
  { hears: /\b(good-?bye|bye|farewell)\b/i, says: 'Goodbye.', hangs_up: true },
  { hears: /\bare you (still )?there\b/i, says: 'Yes, I am still here.' },
  { hears: /\byour name\b|\bwho am i (speaking|talking)\b/i, says: 'My name is Thomas Baker.' },
  { hears: /\b(open|opening|hours)\b/i, says: 'We are open from nine to five, Monday to Friday.' },
  { hears: /\b(cost|price|pay|how much|charge)\b/i, says: 'It costs twenty dollars.' },
  { hears: /\b(address|where are you|located)\b/i, says: 'We are at twelve Main Street.' },
  { hears: /\b(confirm|correct|is that right)\b/i, says: 'Yes, that is right.' },
  {
    hears: /\b(appointment|book|table|reserve|reservation|schedule|meeting|visit)\b/i,
    says: 'Yes, that is possible. Tuesday at ten works for us.',
  },
  { hears: /\b(when|what time|which day|what day)\b/i, says: 'Tuesday at ten would be good.' },
  { hears: /\b(remind|let you know|inform)\b/i, says: 'Thank you for telling me.' },
  { hears: /\bhow are you\b/i, says: 'I am fine, thank you.' },
  { hears: /\b(could|can|would|will|do|is|are) (you|it|that|there)\b|\?/i, says: 'Yes, I think so.' },
  { hears: /\b(assistant|speaking|calling)\b/i, says: 'All right, what can I do for you?' },
];
const otherwise = 'I see. Please go on.';
const enough_turns = 12;

export function personsBrain(): Llm {
  return {
    name: 'person',
    capabilities: { tools: true },
    async *reply({ turns, signal }) {
      signal.throwIfAborted();
      const { says, hangs_up } = answerTo(turns);
      yield { text: says };
      if (hangs_up) yield { tool_call: { call_id: 'hang_up_1', name: 'hang_up', arguments: {} } };
    },
  };
}

function answerTo(turns: Turn[]): Pick<Rule, 'says' | 'hangs_up'> {
  const heard = turns.findLast(({ role }) => role === 'user')?.content ?? '';
  if (turns.filter(({ role }) => role === 'assistant').length >= enough_turns) {
    return { says: 'I am sorry, I have to go now. Goodbye.', hangs_up: true };
  }
  return rules.find(({ hears }) => hears.test(heard)) ?? { says: otherwise };
}
