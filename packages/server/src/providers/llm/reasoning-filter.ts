// Removes the reasoning that some models write into their reply as <think> blocks, so that it is never spoken or sent.
import type { LlmChunk } from './llm.ts';

const opening = /<(think|thinking|reasoning)>/i;
const longest_tag = '</reasoning>'.length;

type State = { waiting: string; closing: string | null };

/** A block may begin and end in the middle of a chunk. One that is never closed lasts until the end. */
export async function* withoutReasoning(chunks: AsyncIterable<LlmChunk>): AsyncIterable<LlmChunk> {
  const state: State = { waiting: '', closing: null };
  for await (const chunk of chunks) {
    if (!('text' in chunk)) {
      yield* flush(state);
      yield chunk;
      continue;
    }
    state.waiting += chunk.text;
    const text = takeText(state);
    if (text !== '') yield { text };
  }
  yield* flush(state);
}

function* flush(state: State): Iterable<LlmChunk> {
  const text = state.closing === null ? state.waiting : '';
  state.waiting = '';
  if (text !== '') yield { text };
}

/** Takes what certainly belongs to the reply. The beginning of a tag waits for its rest. */
function takeText(state: State): string {
  let text = '';
  for (;;) {
    if (state.closing === null) {
      const tag = opening.exec(state.waiting);
      if (!tag) {
        const end = possibleTag(state.waiting);
        text += state.waiting.slice(0, end);
        state.waiting = state.waiting.slice(end);
        return text;
      }
      text += state.waiting.slice(0, tag.index);
      state.closing = `</${tag[1]!.toLowerCase()}>`;
      state.waiting = state.waiting.slice(tag.index + tag[0].length);
    }
    const end = state.waiting.toLowerCase().indexOf(state.closing);
    if (end < 0) {
      state.waiting = state.waiting.slice(-longest_tag);
      return text;
    }
    state.waiting = state.waiting.slice(end + state.closing.length).trimStart();
    state.closing = null;
  }
}

/** Where a tag could begin that is not complete yet; the length of the text when there is none. */
function possibleTag(text: string): number {
  const start = text.lastIndexOf('<');
  if (start < 0 || text.length - start >= longest_tag) return text.length;
  return ['<think>', '<thinking>', '<reasoning>'].some((tag) =>
    tag.startsWith(text.slice(start).toLowerCase()),
  )
    ? start
    : text.length;
}
