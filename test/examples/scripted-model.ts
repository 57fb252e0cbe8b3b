// A local stand-in for a model server with the chat completions protocol: it sends scripted answers and stores the requests.
import { standIn } from '../../packages/server/testing/stand-in.ts';

type Message = { role: string; content: string | null; tool_call_id?: string };
export type Asked = { messages: Message[]; tools?: { function: { name: string } }[] };
/** A text, or the tools that the model wants to use with their arguments. */
export type Answer = string | Record<string, Record<string, unknown>>;

function messageOf(answer: Answer): object {
  if (typeof answer === 'string') return { role: 'assistant', content: answer };
  const tool_calls = Object.entries(answer).map(([name, input], index) => ({
    id: `call_${index}`,
    type: 'function',
    function: { name, arguments: JSON.stringify(input) },
  }));
  return { role: 'assistant', content: null, tool_calls };
}

/** Every request takes the next answer; a request without one fails. */
export async function scriptedModel() {
  const asked: Asked[] = [];
  let answers: Answer[] = [];
  const { url } = await standIn(({ body, request }, response) => {
    const answer = answers.shift();
    if (answer === undefined || request.url !== '/v1/chat/completions') {
      response.writeHead(400).end(`no answer is left for ${request.url}`);
      return;
    }
    asked.push(JSON.parse(body.toString()) as Asked);
    const finish_reason = typeof answer === 'string' ? 'stop' : 'tool_calls';
    const choices = [{ index: 0, finish_reason, message: messageOf(answer) }];
    response
      .writeHead(200, { 'content-type': 'application/json' })
      .end(JSON.stringify({ id: 'c1', object: 'chat.completion', created: 1, model: 'scripted', choices }));
  });
  return {
    environment: { OPENAI_BASE_URL: `${url}/v1`, OPENAI_API_KEY: 'none', OPENAI_MODEL: 'scripted' },
    /** Sets the answers of one program, and forgets what others asked. */
    answerWith(...next: Answer[]) {
      answers = next;
      asked.length = 0;
    },
    asked,
  };
}
