// Live control of calls over HTTP: from a request to the sound on the line, and from the result of a tool to the model.
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { own_phone_number } from '@parley/contract/operations/sandbox/sandbox-phone';
import { constant, type Row, type Run, type Side } from '../harness.ts';
import type { Service } from '../stage.ts';
import { percentile } from './allowed.ts';
import { connectTo } from './service.ts';

const calls = 4;
const repeats: Record<Run['scale'], number> = { quick: 15, normal: 25, full: 50 };
const give_up_ms = 20_000;

/** One process that runs calls, and one that only serves the API, on the same database. */
async function startProcesses({ stage }: Run) {
  const settings = { PARLEY_SANDBOX: 'on', WEBHOOK_PRIVATE_TARGETS: '127.0.0.0/8' };
  const other = await stage.startService({
    data_dir: stage.makeFolder(),
    environment: { PARLEY_ROLES: 'api', ...settings },
  });
  const runner = await stage.startService({
    data_dir: stage.makeFolder(),
    database_url: other.database_url,
    program: [fileURLToPath(new URL('../call-service.ts', import.meta.url))],
    environment: { PARLEY_ROLES: 'api,worker', ...settings },
  });
  return { runner, other };
}

async function request<T>({ url, key }: Service, method: string, path: string, body?: object): Promise<T> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const response = await fetch(url + path, { method, headers, body: JSON.stringify(body ?? {}) });
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
  return (await response.json()) as T;
}

async function eventually<T>(what: string, attempt: () => Promise<T | null>): Promise<T> {
  for (const end_ms = performance.now() + give_up_ms; performance.now() < end_ms; await sleep(10)) {
    const result = await attempt();
    if (result !== null) return result;
  }
  throw new Error(`not within ${give_up_ms} ms: ${what}`);
}

/** The agent calls the sandbox phone, which answers and listens. */
async function openCall(runner: Service, more: object = {}) {
  const { id } = await request<{ id: string }>(runner, 'POST', '/v1/calls', {
    to: own_phone_number,
    recipient_consent: true,
    first_message: 'Hi.',
    ai_disclosure: false,
    ...more,
  });
  const phone = `/v1/sandbox/phone/calls/${id}`;
  await eventually('it rings', () => request(runner, 'POST', `${phone}/answer`).catch(() => null));
  const { url } = await eventually('it is answered', () =>
    request<{ url: string }>(runner, 'POST', `${phone}/sound`).catch(() => null),
  );
  const socket = new WebSocket(url);
  socket.binaryType = 'arraybuffer';
  let heard = Promise.withResolvers<void>();
  socket.addEventListener('message', ({ data }) => {
    if (new Int16Array(data as ArrayBuffer).some((sample) => sample > 500)) heard.resolve();
  });
  const call = {
    id,
    /** Resolves at the next sound. */
    nextSound(): Promise<void> {
      heard = Promise.withResolvers();
      return heard.promise;
    },
    hangUp: () => request(runner, 'POST', `${phone}/hang-up`),
  };
  // The opening must be over: what is requested before is said after it.
  await heard.promise;
  await sleep(500);
  return call;
}

/** From the request to the first sound of the requested words at the phone. */
async function says(run: Run, from: 'runner' | 'other'): Promise<Side> {
  const processes = await startProcesses(run);
  return async () => {
    const all = await Promise.all(
      Array.from({ length: calls }, async () => {
        const call = await openCall(processes.runner);
        const delays: number[] = [];
        for (let repeat = 0; repeat < repeats[run.scale]; repeat++) {
          const sound = call.nextSound();
          const start = performance.now();
          await request(processes[from], 'POST', `/v1/calls/${call.id}/say`, { text: 'Yes.' });
          await sound;
          delays.push(performance.now() - start);
          // Not in step with the frames of the line.
          await sleep(400 + Math.random() * 20);
        }
        await call.hangUp();
        return delays;
      }),
    );
    return { value: percentile(all.flat(), 0.99) };
  };
}

/** A model that calls the tool for what it is told, and says "Yes." when it gets the result, which is a number. */
async function startModel({ stage }: Run) {
  const results = new Map<number, PromiseWithResolvers<number>>();
  const result = (number: number) => {
    const known = results.get(number) ?? Promise.withResolvers<number>();
    results.set(number, known);
    return known;
  };
  let requests = 0;
  const server: Server = createServer(async (incoming, response) => {
    const received_ms = performance.now();
    const { messages } = (await json(incoming)) as { messages: { role: string; content: string }[] };
    const { role, content } = messages.at(-1)!;
    const is_result = role === 'tool';
    if (is_result) result(Number(/\d+/.exec(content)?.[0])).resolve(received_ms);
    const call = { index: 0, id: `call_${++requests}`, type: 'function', function: look_up };
    const delta = is_result ? { role: 'assistant', content: 'Yes.' } : { tool_calls: [call] };
    const chunk = { choices: [{ index: 0, delta, finish_reason: is_result ? 'stop' : 'tool_calls' }] };
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.end(`data: ${JSON.stringify(chunk)}\n\ndata: [DONE]\n\n`);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  stage.atClose(async () => {
    server.closeAllConnections();
    server.close();
  });
  return {
    base_url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    /** When the model got this result. */
    gotResult: (number: number): Promise<number> => result(number).promise,
  };
}

const look_up = { name: 'look_up', arguments: '{}' };
const lookUpTool = {
  type: 'client',
  name: 'look_up',
  description: 'Looks a number up.',
  parameters: { type: 'object', properties: {} },
  effect: 'read',
} as const;

/** From the result that another process receives to the request to the model. */
async function toolResults(run: Run): Promise<Side> {
  const { runner, other } = await startProcesses(run);
  const database = await connectTo(other.database_url, run.stage);
  const model = await startModel(run);
  const provider = { provider: 'openai-compatible', api_key: 'sk-model' };
  await request(runner, 'PUT', '/v1/providers/llm', {
    ...provider,
    params: { base_url: model.base_url, model: 'm' },
  });
  const limits = { tool_calls: 100 };
  const fields = { name: 'Desk', tools: [lookUpTool], limits };
  const agent = await request<{ id: string }>(runner, 'POST', '/v1/agents', fields);
  let results = 0;

  const toolCallOf = (call_id: string) =>
    eventually('the tool is called', async () => {
      const { rows } = await database.query<{ id: string }>(
        `select id from tool_calls where call_id = $1 and status = 'running'`,
        [call_id],
      );
      return rows[0]?.id ?? null;
    });
  const measureCall = async (): Promise<number[]> => {
    const call = await openCall(runner, { agent_id: agent.id });
    const delays: number[] = [];
    for (let repeat = 0; repeat < repeats[run.scale]; repeat++) {
      await request(runner, 'POST', `/v1/calls/${call.id}/instruct`, { text: 'Look it up.', respond: true });
      const tool_call_id = await toolCallOf(call.id);
      await sleep(20);
      const number = ++results;
      const start = performance.now();
      const answered = request(other, 'POST', `/v1/calls/${call.id}/tool-results`, {
        tool_call_id,
        result: { number },
      });
      const [got_ms] = await Promise.all([model.gotResult(number), answered]);
      delays.push(got_ms - start);
      await sleep(400);
    }
    await call.hangUp();
    return delays;
  };
  return async () => {
    const all = await Promise.all(Array.from({ length: calls }, measureCall));
    return { value: percentile(all.flat(), 0.99) };
  };
}

const row = (name: string, subject: string, limit_ms: number, prepare: (run: Run) => Promise<Side>): Row => ({
  name,
  subject,
  limit: `${limit_ms} ms`,
  unit: 'ms',
  target: { comparison: '<=', ratio: 1 },
  rounds: { quick: 1, normal: 2, full: 3 },
  fixed_time: true,
  prepare: async (run) => ({ limit: constant(limit_ms), subject: await prepare(run) }),
});

export const callControlRows: Row[] = [
  row('control-say', 'POST say to the first sound at the phone, p99', 60, (run) => says(run, 'runner')),
  row('control-say-other', 'the same, sent to another process, p99', 150, (run) => says(run, 'other')),
  row('tool-result-wake', 'POST tool-results at another process to the model, p99', 100, toolResults),
];
