// Parses a chat completion, whole or as server-sent events, into reply chunks. The input is not trusted.
import { z } from 'zod';
import { type LlmChunk, LlmFailed } from '../llm.ts';
import { eventData, quoted, readJson } from '../server-sent-events.ts';

const ToolDelta = z.object({
  index: z.number().optional(),
  id: z.string().nullish(),
  function: z.object({ name: z.string().nullish(), arguments: z.string().nullish() }).nullish(),
});
const Delta = z.object({
  content: z.string().nullish(),
  refusal: z.string().nullish(),
  tool_calls: z.array(ToolDelta).nullish(),
});
const Usage = z.object({
  prompt_tokens: z.number(),
  completion_tokens: z.number(),
  prompt_tokens_details: z.object({ cached_tokens: z.number().nullish() }).nullish().catch(null),
});
type Usage = z.infer<typeof Usage>;
const Chunk = z.object({
  choices: z.array(z.object({ delta: Delta.nullish(), finish_reason: z.string().nullish() })).optional(),
  model: z.string().nullish().catch(null),
  usage: Usage.nullish().catch(null),
  error: z.unknown().optional(),
});
const Completion = z.object({
  choices: z.array(z.object({ message: Delta, finish_reason: z.string().nullish() })).min(1),
  model: z.string().nullish().catch(null),
  usage: Usage.nullish().catch(null),
});

const max_tool_calls = 16;

export async function* readEvents(body: AsyncIterable<Buffer>): AsyncIterable<LlmChunk> {
  const calls = toolCalls();
  let is_finished = false;
  let finish_reason = '';
  let usage: Usage | null = null;
  let model: string | null = null;
  for await (const data of eventData(body, notACompletion)) {
    if (data === '[DONE]') {
      is_finished = true;
      break;
    }
    const chunk = Chunk.safeParse(readJson(data));
    if (!chunk.success) throw notACompletion(data);
    if (chunk.data.error !== undefined) {
      throw new LlmFailed(`reported an error: ${quoted(data)}`, { retryable: true });
    }
    const choice = chunk.data.choices?.[0];
    if (choice?.delta) yield* textOf(choice.delta);
    // Some endpoints send the sum so far with every event; the last one counts.
    usage = chunk.data.usage ?? usage;
    model = chunk.data.model ?? model;
    for (const delta of choice?.delta?.tool_calls ?? []) calls.add(delta);
    if (choice?.finish_reason) {
      is_finished = true;
      finish_reason = choice.finish_reason;
    }
  }
  if (!is_finished) throw new LlmFailed('stopped in the middle of its reply', { retryable: true });
  yield* calls.complete();
  yield* endOf(finish_reason, usage, model);
}

export async function* readCompletion(body: AsyncIterable<Buffer>): AsyncIterable<LlmChunk> {
  const chunks: Buffer[] = [];
  for await (const chunk of body) chunks.push(chunk);
  const text = Buffer.concat(chunks).toString('utf8');
  const completion = Completion.safeParse(readJson(text));
  if (!completion.success) throw notACompletion(text);
  const { message, finish_reason } = completion.data.choices[0]!;
  yield* textOf(message);
  const calls = toolCalls();
  message.tool_calls?.forEach((call, index) => {
    calls.add({ ...call, index });
  });
  yield* calls.complete();
  yield* endOf(finish_reason ?? '', completion.data.usage ?? null, completion.data.model ?? null);
}

function* textOf({ content, refusal }: z.infer<typeof Delta>): Iterable<LlmChunk> {
  if (content) yield { text: content };
  if (refusal) yield { text: refusal };
  if (refusal) yield { stopped: 'refused' };
}

function* endOf(finish_reason: string, usage: Usage | null, model: string | null): Iterable<LlmChunk> {
  if (finish_reason === 'length') yield { stopped: 'length' };
  if (finish_reason === 'content_filter') yield { stopped: 'refused' };
  if (!usage) return;
  const cached_input_tokens = usage.prompt_tokens_details?.cached_tokens ?? 0;
  yield {
    usage: {
      input_tokens: usage.prompt_tokens,
      output_tokens: usage.completion_tokens,
      ...(cached_input_tokens > 0 ? { cached_input_tokens } : {}),
    },
    ...(model === null ? {} : { model }),
  };
}

/** Collects tool calls: their arguments come in pieces, and the pieces of several calls may be mixed. */
function toolCalls() {
  const calls = new Map<number, { id: string; name: string; text: string }>();
  return {
    add({ index = 0, id, function: part }: z.infer<typeof ToolDelta>) {
      const call = calls.get(index) ?? { id: '', name: '', text: '' };
      if (!calls.has(index) && calls.size >= max_tool_calls) return;
      calls.set(index, {
        id: call.id || (id ?? ''),
        name: call.name || (part?.name ?? ''),
        text: call.text + (part?.arguments ?? ''),
      });
    },
    *complete(): Iterable<LlmChunk> {
      for (const [index, { id, name, text }] of calls) {
        // Arguments that are not JSON are passed on as text; the code that runs the tool refuses them.
        const args = text.trim() === '' ? {} : (readJson(text) ?? text);
        if (name !== '') yield { tool_call: { call_id: id || `call_${index}`, name, arguments: args } };
      }
    },
  };
}

const notACompletion = (text: string) =>
  new LlmFailed(`sent a response that is not a chat completion: ${quoted(text)}`, { retryable: false });
