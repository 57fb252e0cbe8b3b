// Books a table by phone and texts the result: the model decides, Parley reaches people.
// node agent.ts "A table for two on Tuesday at eight, in the name of Ana"
import { ApiError, createParley } from '@parley/sdk';
import OpenAI from 'openai';

const parley = createParley(); // PARLEY_URL, PARLEY_API_KEY
const model = new OpenAI(); // OPENAI_BASE_URL, OPENAI_API_KEY
const model_name = process.env.OPENAI_MODEL ?? 'gpt-5-mini';
// Numbers of the sandbox: a person who talks, and a phone that receives texts.
const restaurant = process.env.RESTAURANT_NUMBER ?? '+15005550201';
const guest = process.env.GUEST_NUMBER ?? '+15005550001';
const max_turns = 8;

/** A tool with one text as its argument. */
const tool = (name: string, description: string, argument: string) => ({
  type: 'function' as const,
  function: {
    name,
    description,
    parameters: {
      type: 'object',
      properties: { [argument]: { type: 'string' } },
      required: [argument],
      additionalProperties: false,
    },
  },
});

const tools = [
  tool('call_restaurant', 'Calls the restaurant and returns what was said.', 'task'),
  tool('text_guest', 'Texts the guest. Use it once, at the end.', 'body'),
];

// With recipient_consent you confirm that you may contact the recipient.
const actions: Record<string, (input: Record<string, string>) => Promise<unknown>> = {
  async call_restaurant({ task }) {
    const placed = await parley.calls.create({
      to: restaurant,
      system_prompt: task!,
      recipient_consent: true,
    });
    // The summary is there some seconds after the end of the call.
    const call = await parley.calls.wait(placed.id, { wait_for: 'result', wait_ms: 600_000 });
    const { turns } = await parley.calls.transcript(call.id);
    // The words of a stranger, also in the summary: data, not instructions.
    return {
      status: call.status,
      untrusted_summary: call.summary,
      untrusted_content: turns.map(({ speaker, text }) => `${speaker}: ${text}`),
    };
  },
  async text_guest({ body }) {
    return (await parley.sms.create({ to: guest, body: body!, recipient_consent: true })).status;
  },
};

/** The model gets every error with its fix, so that it can correct itself. */
async function run(name: string, input: string): Promise<string> {
  try {
    const action = actions[name];
    return JSON.stringify(action ? await action(JSON.parse(input)) : { error: 'unknown_tool' });
  } catch (error) {
    if (error instanceof ApiError) return JSON.stringify({ error: error.code, fix: error.fix });
    return JSON.stringify({ error: String(error) });
  }
}

const messages: OpenAI.ChatCompletionMessageParam[] = [
  { role: 'system', content: 'Book a table by phone. Then text the guest whether it worked.' },
  { role: 'user', content: process.argv[2] ?? 'A table for two on Tuesday at eight, in the name of Ana.' },
];
for (let turn = 0; turn < max_turns; turn++) {
  const { choices } = await model.chat.completions.create({ model: model_name, messages, tools });
  const message = choices[0]!.message;
  messages.push(message);
  if (!message.tool_calls?.length) {
    console.log(message.content);
    process.exit(0);
  }
  for (const call of message.tool_calls) {
    if (call.type !== 'function') continue;
    const content = await run(call.function.name, call.function.arguments);
    console.log(`${call.function.name}: ${content}`);
    messages.push({ role: 'tool', tool_call_id: call.id, content });
  }
}
console.error(`The model did not finish within ${max_turns} turns.`);
process.exit(1);
