// One answer of the agent after the other: thinks, speaks clause by clause, uses tools, and records what was heard.
import {
  type Llm,
  LlmFailed,
  type LlmRequest,
  type ToolCall,
  type Turn,
} from '../../../providers/llm/llm.ts';
import type { MediaClock } from '../../../providers/media/media-clock.ts';
import type { MediaSession } from '../../../providers/media/media-session.ts';
import { clauseSplitter, speakable } from './clauses.ts';
import type { Fact, TurnTimings } from './facts.ts';
import type { Heard } from './listener.ts';
import type { mouth, Speech } from './player.ts';
import type { SpokenCall } from './spoken-call.ts';
import { digitsOf, phone_manners, phoneTools } from './tools.ts';

export type Answer = {
  /** `hang_up`: the agent wants to end the call. Fails when it cannot think or has no voice. */
  done: Promise<'spoken' | 'stopped' | 'hang_up'>;
  pause(): void;
  resume(): void;
  stop(): void;
  remaining_ms(): number;
};

/** One that keeps calling tools must speak or stop at some point. */
const max_rounds = 4;
const second_tries = 1;
/** Minutes of speech: nobody listens longer, and nobody else limits what a model may write. */
const max_spoken_chars = 4000;
const remembered_turns = 200;

export function speaker(deps: {
  llm: Llm;
  mouth: ReturnType<typeof mouth>;
  session: MediaSession;
  clock: MediaClock;
  call: SpokenCall;
  /** Grows by what the agent said, as far as it was heard. */
  turns: Turn[];
  thinking_ms: number;
  /** Said before anything else until it has been heard; null when it is not wanted. */
  disclosure: string | null;
  emit(fact: Fact): void;
  since(ms: number): number;
}) {
  const { clock, session, call, turns } = deps;
  let is_disclosed = deps.disclosure === null;

  /** One stretch of speech: what is said between two uses of tools. */
  const beginRound = (is_undisclosed: boolean, heard: Heard | null) => {
    const speech = deps.mouth.begin();
    const discloses = !is_disclosed && !is_undisclosed;
    const started_ms = clock.ms();
    let first_token_ms: number | null = null;
    let is_recorded = false;
    if (discloses) speech.say(deps.disclosure!);
    return {
      speech,
      thought(): void {
        first_token_ms ??= clock.ms();
      },
      /** Called once, when the speech is over one way or the other. */
      record(is_interrupted: boolean, tool_calls: ToolCall[] = []): void {
        if (is_recorded) return;
        is_recorded = true;
        const { text, clauses } = speech.heard();
        if (discloses && clauses > 0) is_disclosed = true;
        if (tool_calls.length > 0) turns.push({ role: 'assistant', content: text, tool_calls });
        else if (text !== '') turns.push({ role: 'assistant', content: text });
        if (text === '') return;
        deps.emit({
          kind: 'said',
          speaker: 'agent',
          text,
          started_ms: deps.since(speech.first_frame_ms() ?? started_ms),
          ended_ms: deps.since(clock.ms()),
          is_interrupted,
          timings: heard && timingsOf(heard, first_token_ms, speech),
        });
      },
    };
  };
  type Round = ReturnType<typeof beginRound>;

  /** Speaks while it thinks; gives the tools that were called. */
  const thinkAloud = async (round: Round, stopping: AbortSignal): Promise<ToolCall[]> => {
    for (let tries = 0; ; tries++) {
      const patience = new AbortController();
      const cancel = clock.after(deps.thinking_ms, () =>
        patience.abort(new LlmFailed('did not answer in time', { retryable: false })),
      );
      const signal = AbortSignal.any([stopping, patience.signal]);
      const clauses = clauseSplitter();
      const tool_calls: ToolCall[] = [];
      let has_begun = false;
      let chars = 0;
      const thought: LlmRequest = {
        system_prompt: call.system_prompt,
        channel_instructions: phone_manners,
        turns: recent(turns),
        tools: deps.llm.capabilities.tools ? phoneTools : [],
        language: call.language,
        model: call.model,
        signal,
      };
      try {
        for await (const piece of untilAborted(deps.llm.reply(thought), signal)) {
          cancel();
          has_begun = true;
          round.thought();
          if ('tool_call' in piece) {
            tool_calls.push(piece.tool_call);
            continue;
          }
          const text = piece.text.slice(0, max_spoken_chars - chars);
          chars += text.length;
          for (const clause of clauses.push(text)) round.speech.say(clause);
          if (chars >= max_spoken_chars) break;
        }
        for (const clause of clauses.flush()) round.speech.say(clause);
        return tool_calls;
      } catch (error) {
        const is_worth_it =
          error instanceof LlmFailed && error.retryable && !has_begun && tries < second_tries;
        if (!is_worth_it) throw error;
      } finally {
        cancel();
      }
    }
  };

  const useTool = async ({ call_id, name, arguments: given }: ToolCall): Promise<'hang_up' | 'used'> => {
    if (name === 'hang_up') return 'hang_up';
    const digits = name === 'send_digits' ? digitsOf(given) : null;
    if (digits !== null) {
      await session.sendDigits(digits);
      deps.emit({ kind: 'digits_sent', at_ms: deps.since(clock.ms()), digits });
    }
    const content =
      digits !== null ? 'sent' : name === 'send_digits' ? 'refused: not keys of a phone' : 'no such tool';
    turns.push({ role: 'tool', call_id, content });
    return 'used';
  };

  const start = (
    work: (stopping: AbortSignal, use: (round: Round) => void) => Promise<'spoken' | 'hang_up'>,
  ): Answer => {
    const stopping = new AbortController();
    let round: Round | null = null;
    let is_paused = false;
    const use = (next: Round) => {
      round = next;
      if (is_paused) next.speech.pause();
    };
    return {
      done: work(stopping.signal, use).then(
        (how) => (stopping.signal.aborted ? 'stopped' : how),
        (error) => {
          if (stopping.signal.aborted) return 'stopped' as const;
          round?.speech.stop();
          round?.record(true);
          throw error;
        },
      ),
      pause() {
        is_paused = true;
        round?.speech.pause();
      },
      resume() {
        is_paused = false;
        round?.speech.resume();
      },
      stop() {
        if (stopping.signal.aborted) return;
        stopping.abort(new Error('stopped'));
        round?.speech.stop();
        round?.record(true);
      },
      remaining_ms: () => round?.speech.remaining_ms() ?? 0,
    };
  };

  return {
    /** Says this, and nothing else. */
    say(text: string, options: { heard?: Heard | null; is_undisclosed?: boolean } = {}): Answer {
      return start(async (_stopping, use) => {
        const round = beginRound(options.is_undisclosed ?? false, options.heard ?? null);
        use(round);
        round.thought();
        const clauses = clauseSplitter();
        for (const clause of [...clauses.push(speakable(text)), ...clauses.flush()]) round.speech.say(clause);
        round.speech.finish();
        await round.speech.done;
        round.record(false);
        return 'spoken';
      });
    },

    /** Says whatever comes to mind next. */
    think(heard: Heard | null): Answer {
      return start(async (stopping, use) => {
        for (let count = 1; ; count++) {
          const round = beginRound(false, count === 1 ? heard : null);
          use(round);
          const tool_calls = await thinkAloud(round, stopping);
          round.speech.finish();
          await round.speech.done;
          if (stopping.aborted) return 'spoken';
          round.record(false, tool_calls);
          const used: string[] = [];
          for (const tool_call of tool_calls) used.push(await useTool(tool_call));
          if (used.includes('hang_up')) return 'hang_up';
          if (used.length === 0 || count === max_rounds) return 'spoken';
        }
      });
    },

    /** For a new audience, such as a machine that records. */
    discloseAgain(): void {
      is_disclosed = deps.disclosure === null;
    },
  };
}

/** A tool's result without its call would be refused. */
function recent(turns: Turn[]): Turn[] {
  const last = turns.slice(-remembered_turns);
  return last.slice(
    Math.max(
      0,
      last.findIndex(({ role }) => role !== 'tool'),
    ),
  );
}

function timingsOf(heard: Heard, first_token_ms: number | null, speech: Speech): TurnTimings | null {
  const [sound_ms, frame_ms] = [speech.first_sound_ms(), speech.first_frame_ms()];
  if (first_token_ms === null || sound_ms === null || frame_ms === null) return null;
  // A disclosure is spoken before the first token is there.
  const token_ms = Math.min(first_token_ms, sound_ms);
  const silence_ms = heard.taken_ms - heard.ended_ms;
  const endpoint_ms = Math.min(heard.endpoint_ms, silence_ms);
  return {
    endpoint_ms,
    stt_ms: silence_ms - endpoint_ms,
    first_token_ms: token_ms - heard.taken_ms,
    first_byte_ms: sound_ms - token_ms,
    first_frame_ms: frame_ms - sound_ms,
    total_ms: frame_ms - heard.ended_ms,
  };
}

/** A model that ignores its signal must not hold up the call. */
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
