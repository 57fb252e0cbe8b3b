// A language model behind the chat completions API: it decides by the last words and results, as a model with this task would.
import { bodyOf, listen, report } from './server.ts';

type Message = { role: string; content: string | null };
type Asked = {
  messages: Message[];
  tools?: { function: { name: string } }[];
  response_format?: unknown;
};
type Answer = { say?: string; calls?: { name: string; arguments: object }[] };

/** What the model does on the phone; the first line that matches counts. */
const on_the_phone: [RegExp, (last: string) => Answer][] = [
  [/Free: ten/, () => ({ say: 'Ten and noon are free. Which one do you want?' })],
  [/B-17/, () => ({ say: 'It is booked. Shall I text you the time?' })],
  [/queued|sent/, () => ({ say: 'The text is on its way. Anything else?' })],
  [/appointment/i, () => calling('calendar__free_slots', { day: '2026-12-01' })],
  [/\bten\b/i, () => calling('book_slot', { time: '10:00' })],
  [
    /text me/i,
    (last) =>
      calling('send_sms', {
        to: 'person',
        body: 'Your appointment: 1 December, 10:00.',
        consent_quote: last,
      }),
  ],
  [/invoice/i, () => calling('transfer_call', { destination: 'desk', reason: 'asks about an invoice' })],
];

const calling = (name: string, input: object): Answer => ({ calls: [{ name, arguments: input }] });

const outcome = {
  result: { booked_at: '10:00' },
  summary: 'Booked 1 December at 10:00 and asked the desk about an invoice.',
  success: true,
  success_reason: 'A slot was booked.',
};

function answerTo({ messages, tools = [], response_format }: Asked): Answer {
  const all = JSON.stringify(messages);
  const last = messages.findLast(({ role }) => role === 'user' || role === 'tool')?.content ?? '';
  if (response_format) return { say: JSON.stringify(outcome) };
  if (tools.some((tool) => tool.function.name === 'report')) return calling('report', outcome);
  if (all.includes('brief a colleague')) return { say: 'A patient booked ten and asks about an invoice.' };
  if (/when is my/i.test(last))
    return { say: all.includes('Booked 1 December') ? 'On 1 December at 10:00.' : 'I do not know.' };
  return on_the_phone.find(([when]) => when.test(last))?.[1](last) ?? { say: 'I see.' };
}

const chunk = (delta: object, finish_reason: string | null = null) =>
  `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason }] })}\n\n`;

let calls_made = 0;
await listen(async (request, response) => {
  const asked = JSON.parse(await bodyOf(request)) as Asked;
  const answer = answerTo(asked);
  report({ last: asked.messages.at(-1)?.content ?? null, answer });
  const tool_calls = (answer.calls ?? []).map(({ name, arguments: input }, index) => ({
    index,
    id: `call_${++calls_made}`,
    type: 'function',
    function: { name, arguments: JSON.stringify(input) },
  }));
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  if (answer.say) response.write(chunk({ role: 'assistant', content: answer.say }));
  if (tool_calls.length > 0) response.write(chunk({ tool_calls }));
  response.end(`${chunk({}, tool_calls.length > 0 ? 'tool_calls' : 'stop')}data: [DONE]\n\n`);
});
