// A language model behind the chat completions API that follows a script: what it says and calls for what it reads last.
import { standIn } from './stand-in.ts';

export type ScriptStep = {
  /** Answers a request for the result of a call. */
  is_of_result?: true;
  /** Matches the last words of the person or the last result of a tool. Each step is used once, in any order. */
  when: RegExp;
  say?: string;
  calls?: readonly { name: string; arguments?: Record<string, unknown> }[];
  /** Answers only when this is settled. */
  after?: Promise<unknown>;
  /** Answers with this status instead. */
  fail?: number;
};

type Message = { role: string; content: string | null; tool_calls?: unknown[] };
export type ModelRequest = {
  model: string;
  messages: Message[];
  tools?: { function: { name: string; description: string; parameters: Record<string, unknown> } }[];
};

/** What the model reads when it writes the result of a call, at any time after the call has ended. */
const isResultRequest = (text: string) => text.startsWith('Date of the conversation:');

/**
 * `unexpected` has what no step of the script matched; the model then says nothing. Requests for the result of a call take
 * only steps for results, and may come without one.
 */
export async function scriptedModel(script: readonly ScriptStep[]) {
  const requests: ModelRequest[] = [];
  const unexpected: string[] = [];
  const steps = [...script];
  const { url } = await standIn(async ({ body }, response) => {
    const request = JSON.parse(String(body)) as ModelRequest;
    requests.push(request);
    const last = request.messages.findLast(({ role }) => role === 'user' || role === 'tool')?.content ?? '';
    // The result of an earlier call may be written while the steps of the next one wait.
    const is_of_result = isResultRequest(last);
    const index = steps.findIndex(
      (each) => (each.is_of_result ?? false) === is_of_result && each.when.test(last),
    );
    const step = index < 0 ? null : steps.splice(index, 1)[0]!;
    if (!step && !is_of_result) unexpected.push(last);
    await step?.after;
    if (step?.fail) return void response.writeHead(step.fail).end();
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.end(chunks(step, requests.length).join(''));
  });
  return { base_url: `${url}/v1`, requests, unexpected, left: steps };
}

function chunks(step: ScriptStep | null, number: number): string[] {
  const calls = (step?.calls ?? []).map(({ name, arguments: input = {} }, index) => ({
    index,
    id: `call_${number}_${index}`,
    type: 'function',
    function: { name, arguments: JSON.stringify(input) },
  }));
  const deltas = [
    ...(step?.say ? [{ role: 'assistant', content: step.say }] : []),
    ...(calls.length > 0 ? [{ tool_calls: calls }] : []),
  ];
  const chunk = (delta: unknown, finish_reason: string | null = null) =>
    `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason }] })}\n\n`;
  return [
    ...deltas.map((delta) => chunk(delta)),
    chunk({}, calls.length > 0 ? 'tool_calls' : 'stop'),
    'data: [DONE]\n\n',
  ];
}
