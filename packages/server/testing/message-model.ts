// A language model for tests of messages: an HTTP server that answers each request with what a function returns.
import assert from 'node:assert/strict';
import type { Client } from './app.ts';
import { standIn } from './stand-in.ts';

export type ModelRequest = {
  messages: { role: string; content: string }[];
  tools?: { function: { name: string } }[];
};
export type ModelAnswer = string | { call: string; arguments?: object } | { fail: number };

export async function messageModel(answer: (request: ModelRequest) => ModelAnswer | Promise<ModelAnswer>) {
  const requests: ModelRequest[] = [];
  const { url } = await standIn(async ({ body }, response) => {
    const request = JSON.parse(body.toString()) as ModelRequest;
    requests.push(request);
    const said = await answer(request);
    if (typeof said === 'object' && 'fail' in said) return response.writeHead(said.fail).end('{}');
    const delta =
      typeof said === 'string'
        ? { role: 'assistant', content: said }
        : {
            role: 'assistant',
            tool_calls: [
              {
                index: 0,
                id: 'call_1',
                type: 'function',
                function: { name: said.call, arguments: JSON.stringify(said.arguments ?? {}) },
              },
            ],
          };
    const chunk = (data: object, finish_reason: string | null) =>
      `data: ${JSON.stringify({ choices: [{ index: 0, delta: data, finish_reason }] })}\n\n`;
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.end(`${chunk(delta, null)}${chunk({}, 'stop')}data: [DONE]\n\n`);
  });
  return {
    requests,
    /** The words that the model saw last. */
    lastSeen: () =>
      requests
        .at(-1)!
        .messages.map(({ content }) => content)
        .join('\n'),
    async setFor(of: Client): Promise<void> {
      const set = await of.request('PUT', '/v1/providers/llm', {
        provider: 'openai-compatible',
        api_key: 'sk-test-key',
        params: { base_url: `${url}/v1`, model: 'test-1' },
      });
      assert.equal(set.status, 200, set.text);
    },
  };
}

/** The last message that the person wrote. */
export const lastWords = ({ messages }: ModelRequest): string =>
  messages.findLast(({ role }) => role === 'user')?.content ?? '';
