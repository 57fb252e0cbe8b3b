// Parses a message of the Anthropic Messages API, whole or as server-sent events, into reply chunks. The input is not trusted.
import { z } from 'zod';
import { type LlmChunk, LlmFailed } from '../llm.ts';
import { eventData, quoted, readJson } from '../server-sent-events.ts';

/** Blocks of other types, such as the reasoning of the model, are not part of the reply. */
const Block = z.object({
  type: z.string(),
  text: z.string().optional(),
  id: z.string().optional(),
  name: z.string().optional(),
  input: z.unknown().optional(),
});
const tokens = z.number().nullish();
/** The API counts tokens of the cache apart from `input_tokens`. */
const Usage = z.object({
  input_tokens: tokens,
  cache_creation_input_tokens: tokens,
  cache_read_input_tokens: tokens,
  output_tokens: tokens,
});
type Usage = z.infer<typeof Usage>;
const StreamEvent = z.object({
  type: z.string(),
  message: z.object({ model: z.string().nullish(), usage: Usage.nullish() }).nullish(),
  usage: Usage.nullish(),
  index: z.number().optional(),
  content_block: Block.optional(),
  delta: z
    .object({
      type: z.string().optional(),
      text: z.string().optional(),
      partial_json: z.string().optional(),
      stop_reason: z.string().nullish(),
    })
    .optional(),
  error: z.object({ type: z.string().optional(), message: z.string().optional() }).optional(),
});
const Message = z.object({
  content: z.array(Block),
  stop_reason: z.string().nullish(),
  model: z.string().nullish(),
  usage: Usage.nullish(),
});

const max_tool_calls = 16;
const permanent_errors = new Set(['authentication_error', 'permission_error', 'invalid_request_error']);

type OpenCall = { call_id: string; name: string; text: string };

export async function* readMessageEvents(body: AsyncIterable<Buffer>): AsyncIterable<LlmChunk> {
  const open = new Map<number, OpenCall>();
  let usage: Usage = {};
  let model: string | null = null;
  let calls = 0;
  for await (const data of eventData(body, notAMessage)) {
    const event = StreamEvent.safeParse(readJson(data));
    if (!event.success) throw notAMessage(data);
    const { type, index = 0, content_block: block, delta, error } = event.data;
    if (type === 'error') throw reportedError(error, data);
    usage = withNewer(withNewer(usage, event.data.message?.usage), event.data.usage);
    model = event.data.message?.model ?? model;
    if (delta?.stop_reason) yield* endOf(delta.stop_reason);
    if (type === 'message_stop') {
      yield usageChunk(usage, model);
      return;
    }
    if (type === 'content_block_start' && block?.type === 'tool_use' && calls++ < max_tool_calls)
      open.set(index, { call_id: block.id || `call_${index}`, name: block.name ?? '', text: '' });
    if (type === 'content_block_delta' && delta?.type === 'text_delta' && delta.text)
      yield { text: delta.text };
    const call = open.get(index);
    if (type === 'content_block_delta' && call) call.text += delta?.partial_json ?? '';
    if (type === 'content_block_stop' && call) {
      open.delete(index);
      yield* complete(call);
    }
  }
  throw new LlmFailed('stopped in the middle of its reply', { retryable: true });
}

export async function* readMessage(body: AsyncIterable<Buffer>): AsyncIterable<LlmChunk> {
  const chunks: Buffer[] = [];
  for await (const chunk of body) chunks.push(chunk);
  const text = Buffer.concat(chunks).toString('utf8');
  const message = Message.safeParse(readJson(text));
  if (!message.success) throw notAMessage(text);
  let calls = 0;
  for (const [index, block] of message.data.content.entries()) {
    if (block.type === 'text' && block.text) yield { text: block.text };
    if (block.type === 'tool_use' && block.name && calls++ < max_tool_calls)
      yield {
        tool_call: { call_id: block.id || `call_${index}`, name: block.name, arguments: block.input ?? {} },
      };
  }
  yield* endOf(message.data.stop_reason ?? '');
  if (message.data.usage) yield usageChunk(message.data.usage, message.data.model ?? null);
}

/** The end of a stream repeats the counts of its start only in part. */
const withNewer = (usage: Usage, newer: Usage | null | undefined): Usage => ({
  ...usage,
  ...Object.fromEntries(Object.entries(newer ?? {}).filter(([, count]) => typeof count === 'number')),
});

function usageChunk(usage: Usage, model: string | null): LlmChunk {
  const cached_input_tokens = usage.cache_read_input_tokens ?? 0;
  const written_tokens = usage.cache_creation_input_tokens ?? 0;
  return {
    usage: {
      input_tokens: (usage.input_tokens ?? 0) + written_tokens + cached_input_tokens,
      output_tokens: usage.output_tokens ?? 0,
      ...(cached_input_tokens > 0 ? { cached_input_tokens } : {}),
    },
    ...(model === null ? {} : { model }),
  };
}

function* endOf(stop_reason: string): Iterable<LlmChunk> {
  if (stop_reason === 'max_tokens') yield { stopped: 'length' };
  if (stop_reason === 'refusal') yield { stopped: 'refused' };
}

function* complete({ call_id, name, text }: OpenCall): Iterable<LlmChunk> {
  // Arguments that are not JSON are passed on as text; the code that runs the tool refuses them.
  const args = text.trim() === '' ? {} : (readJson(text) ?? text);
  if (name !== '') yield { tool_call: { call_id, name, arguments: args } };
}

function reportedError(error: z.infer<typeof StreamEvent>['error'], data: string): LlmFailed {
  const what = error?.message ? quoted(error.message) : quoted(data);
  return new LlmFailed(`reported an error: ${what}`, { retryable: !permanent_errors.has(error?.type ?? '') });
}

const notAMessage = (text: string) =>
  new LlmFailed(`sent a response that is not a message: ${quoted(text)}`, { retryable: false });
