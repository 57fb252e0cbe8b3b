// The sandbox model: a few rules instead of a language model, so that agents can reply to texts without an account.
import type { Llm } from '../llm.ts';

const rules: { matches: RegExp; reply: (text: string) => string }[] = [
  {
    matches: /\b(hi|hello|hey|good (morning|afternoon|evening))\b/i,
    reply: () => 'Hello! How can I help you?',
  },
  { matches: /\b(thanks|thank you)\b/i, reply: () => 'You are welcome.' },
  { matches: /\b(bye|goodbye)\b/i, reply: () => 'Goodbye!' },
  { matches: /\b(are you (a )?(robot|bot|ai|human|real))\b/i, reply: () => 'I am an AI assistant.' },
  {
    matches: /\?\s*$/,
    reply: (text) => `You asked: "${text}". I am the sandbox model and only know a few answers.`,
  },
];

export function sandboxLlm(): Llm {
  return {
    name: 'sandbox',
    capabilities: { tools: false },
    async *reply({ turns, signal }) {
      signal.throwIfAborted();
      const text = turns.findLast(({ role }) => role !== 'note')?.content.trim() ?? '';
      if (text === '') return;
      const short = text.length > 200 ? `${text.slice(0, 200).toWellFormed()}…` : text;
      const rule = rules.find(({ matches }) => matches.test(text));
      for (const word of (rule ? rule.reply(short) : `You said: "${short}"`).match(/\S+\s*/g)!) {
        signal.throwIfAborted();
        yield { text: word };
      }
    },
  };
}
