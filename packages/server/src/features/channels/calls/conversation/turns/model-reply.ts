// Speaks the model's next reply while the model still writes it, and reports the tools that it calls.
import {
  type Llm,
  LlmFailed,
  type LlmRequest,
  type ToolCall,
  type Turn,
} from '../../../../../providers/llm/llm.ts';
import type { MediaClock } from '../../../../../providers/media/media-clock.ts';
import { clauseSplitter } from '../speak/clauses.ts';
import type { SpokenCall } from '../spoken-call.ts';
import type { ToolWork } from '../tools/tool-round.ts';
import { phone_manners } from '../tools/tools.ts';
import type { Round } from './round.ts';

export type ModelReplyDeps = {
  llm: Llm;
  clock: MediaClock;
  call: SpokenCall;
  turns: Turn[];
  tools: Pick<ToolWork, 'list'>;
  /** Longest wait for the first piece of a reply. */
  first_token_timeout_ms: number;
};

const max_attempts = 2;
/** Between two pieces of a reply. A model that stops in the middle would leave the line silent. */
const next_piece_timeout_ms = 30_000;
/** A few minutes of speech. Nothing else limits how much a model writes. */
const max_spoken_chars = 4000;
const max_context_turns = 200;

/** A failure that may be temporary is retried once, unless part of the reply was already spoken. */
export async function speakModelReply(
  deps: ModelReplyDeps,
  round: Round,
  called: (call: ToolCall) => void,
  stopping: AbortSignal,
): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    const progress = { has_started: false };
    try {
      return await attemptReply(deps, round, called, stopping, progress);
    } catch (error) {
      const is_temporary = error instanceof LlmFailed && error.retryable;
      if (!is_temporary || progress.has_started || attempt >= max_attempts) throw error;
    }
  }
}

async function attemptReply(
  deps: ModelReplyDeps,
  round: Round,
  called: (call: ToolCall) => void,
  stopping: AbortSignal,
  progress: { has_started: boolean },
): Promise<void> {
  const timeout = new AbortController();
  let cancelTimeout = deps.clock.after(deps.first_token_timeout_ms, () =>
    timeout.abort(new LlmFailed('did not answer in time', { retryable: false })),
  );
  const signal = AbortSignal.any([stopping, timeout.signal]);
  const clauses = clauseSplitter();
  let chars = 0;
  try {
    for await (const piece of untilAborted(deps.llm.reply(requestOf(deps, signal)), signal)) {
      cancelTimeout();
      cancelTimeout = deps.clock.after(next_piece_timeout_ms, () =>
        timeout.abort(new LlmFailed('stopped in the middle of its reply', { retryable: false })),
      );
      if ('usage' in piece || 'stopped' in piece) continue;
      progress.has_started = true;
      round.textStarted();
      if ('tool_call' in piece) {
        called(piece.tool_call);
        continue;
      }
      const text = piece.text.slice(0, max_spoken_chars - chars);
      chars += text.length;
      for (const clause of clauses.push(text)) round.utterance.say(clause);
      if (chars >= max_spoken_chars) break;
    }
    for (const clause of clauses.flush()) round.utterance.say(clause);
  } finally {
    cancelTimeout();
  }
}

const requestOf = ({ llm, call, turns, tools }: ModelReplyDeps, signal: AbortSignal): LlmRequest => ({
  system_prompt: call.system_prompt,
  channel_instructions: phone_manners,
  turns: recent(turns),
  tools: llm.capabilities.tools ? tools.list.offered() : [],
  language: call.language,
  model: call.model,
  signal,
});

/** The last turns, without tool results at the start: providers refuse a result whose call is missing. */
function recent(turns: Turn[]): Turn[] {
  const last = turns.slice(-max_context_turns);
  const first = last.findIndex(({ role }) => role !== 'tool');
  return last.slice(Math.max(0, first));
}

/** Ends when the signal aborts, even if the model ignores the signal. */
async function* untilAborted<T>(pieces: AsyncIterable<T>, signal: AbortSignal): AsyncIterable<T> {
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  aborted.catch(() => {});
  const abort = () => reject(signal.reason);
  if (signal.aborted) abort();
  signal.addEventListener('abort', abort);
  const iterator = pieces[Symbol.asyncIterator]();
  try {
    while (true) {
      const next = await Promise.race([iterator.next(), aborted]);
      if (next.done) return;
      yield next.value;
    }
  } finally {
    signal.removeEventListener('abort', abort);
    void iterator.return?.().catch(() => {});
  }
}
