// The model of the calls: where the prompt says so, the person does not want to be contacted, and the model records it.

import type { Llm } from '../../src/providers/llm/llm.ts';
import { offlineLlm } from '../../src/providers/llm/offline/index.ts';
import { tagged } from './recorder.ts';

export const stopPrompt = (tag: number) => tagged(tag, 'The person refuses.');
const stop_pattern = /The person refuses\. #(\d+)#/;

/** `recorded`: the service confirmed it. */
export function stoppingLlm(recorded: (tag: number) => void): Llm {
  const offline = offlineLlm();
  return {
    ...offline,
    async *reply(request) {
      const [, tag] = stop_pattern.exec(request.system_prompt) ?? [];
      if (tag === undefined) {
        yield* offline.reply(request);
        return;
      }
      const last = request.turns.at(-1);
      if (last?.role === 'tool' && last.content.startsWith('recorded')) recorded(Number(tag));
      const name = last?.role === 'tool' ? 'end_call' : 'do_not_contact';
      yield { text: 'I understand.' };
      yield { tool_call: { call_id: `${name}_1`, name, arguments: {} } };
    },
  };
}
