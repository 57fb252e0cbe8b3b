// The sandbox model: a few rules instead of a language model, so that agents answer without an account.
import type { Llm } from '../llm.ts';

const rules: { hears: RegExp; says: (heard: string) => string }[] = [
  { hears: /\b(hi|hello|hey|good (morning|afternoon|evening))\b/i, says: () => 'Hello! How can I help you?' },
  { hears: /\b(thanks|thank you)\b/i, says: () => 'You are welcome.' },
  { hears: /\b(bye|goodbye)\b/i, says: () => 'Goodbye!' },
  { hears: /\b(are you (a )?(robot|bot|ai|human|real))\b/i, says: () => 'I am an AI assistant.' },
  {
    hears: /\?\s*$/,
    says: (heard) => `You asked: "${heard}". I am the sandbox model and only know a few answers.`,
  },
];

export function sandboxLlm(): Llm {
  return {
    name: 'sandbox',
    capabilities: { tools: false },
    async *reply({ turns, signal }) {
      signal.throwIfAborted();
      const heard = turns.at(-1)?.content.trim() ?? '';
      if (heard === '') return;
      const short = heard.length > 200 ? `${heard.slice(0, 200).toWellFormed()}…` : heard;
      const rule = rules.find(({ hears }) => hears.test(heard));
      for (const word of (rule ? rule.says(short) : `You said: "${short}"`).match(/\S+\s*/g)!) {
        signal.throwIfAborted();
        yield { text: word };
      }
    },
  };
}
