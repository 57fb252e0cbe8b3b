// One turn of the agent: it says a fixed text or lets the model reply, uses tools, and can be paused and stopped.
import type { ToolCall } from '../../../providers/llm/llm.ts';
import type { MediaSession } from '../../../providers/media/media-session.ts';
import { clauseSplitter, speakable } from './clauses.ts';
import type { HeardTurn } from './listener.ts';
import { type ModelReplyDeps, speakModelReply } from './model-reply.ts';
import { beginRound, type Round, type RoundDeps } from './round.ts';
import { digitsOf } from './tools.ts';

export type TurnDeps = RoundDeps & ModelReplyDeps & { session: MediaSession };

export type AgentTurn = {
  /** `hang_up`: the model asked to end the call. Rejects when the model or speech synthesis fails. */
  done: Promise<'spoken' | 'stopped' | 'hang_up'>;
  pause(): void;
  resume(): void;
  stop(): void;
  remaining_ms(): number;
};

/** Limits a model that calls tools again and again. */
const max_rounds = 4;

/** A turn that says this text and nothing else. */
export function sayText(
  deps: TurnDeps,
  text: string,
  { heard = null, discloses = true }: { heard?: HeardTurn | null; discloses?: boolean } = {},
): AgentTurn {
  return startTurn(async (_stopping, use) => {
    const round = beginRound(deps, { discloses, heard });
    use(round);
    round.textStarted();
    const clauses = clauseSplitter();
    for (const clause of [...clauses.push(speakable(text)), ...clauses.flush()]) round.utterance.say(clause);
    round.utterance.finish();
    await round.utterance.done;
    round.record(false);
    return 'spoken';
  });
}

/** A turn in which the model replies; `heard` is what it replies to, null when the agent opens the conversation. */
export function sayModelReply(deps: TurnDeps, heard: HeardTurn | null): AgentTurn {
  return startTurn(async (stopping, use) => {
    for (let count = 1; ; count++) {
      const round = beginRound(deps, { discloses: true, heard: count === 1 ? heard : null });
      use(round);
      const tool_calls = await speakModelReply(deps, round, stopping);
      round.utterance.finish();
      await round.utterance.done;
      if (stopping.aborted) return 'spoken';
      round.record(false, tool_calls);
      const used: string[] = [];
      for (const tool_call of tool_calls) used.push(await useTool(deps, tool_call));
      if (used.includes('hang_up')) return 'hang_up';
      if (used.length === 0 || count === max_rounds) return 'spoken';
    }
  });
}

/** `work` reports each round with `use` as it begins, so that pause and stop reach the current one. */
function startTurn(
  work: (stopping: AbortSignal, use: (round: Round) => void) => Promise<'spoken' | 'hang_up'>,
): AgentTurn {
  const stopping = new AbortController();
  let round: Round | null = null;
  let is_paused = false;
  const use = (next: Round) => {
    round = next;
    if (is_paused) next.utterance.pause();
  };
  const cutOff = () => {
    round?.utterance.stop();
    round?.record(true);
  };
  return {
    done: work(stopping.signal, use).then(
      (result) => (stopping.signal.aborted ? 'stopped' : result),
      (error) => {
        if (stopping.signal.aborted) return 'stopped' as const;
        cutOff();
        throw error;
      },
    ),
    pause() {
      is_paused = true;
      round?.utterance.pause();
    },
    resume() {
      is_paused = false;
      round?.utterance.resume();
    },
    stop() {
      if (stopping.signal.aborted) return;
      stopping.abort(new Error('stopped'));
      cutOff();
    },
    remaining_ms: () => round?.utterance.remaining_ms() ?? 0,
  };
}

async function useTool(
  deps: TurnDeps,
  { call_id, name, arguments: input }: ToolCall,
): Promise<'hang_up' | 'used'> {
  if (name === 'hang_up') return 'hang_up';
  const content =
    name === 'send_digits'
      ? await sendDigits(deps, input)
      : name === 'do_not_contact' && deps.stopContact
        ? await stopContact(deps.stopContact)
        : 'no such tool';
  deps.turns.push({ role: 'tool', call_id, content });
  return 'used';
}

/** The call goes on when it cannot be recorded: the person is told the truth. */
const stopContact = (record: () => Promise<void>): Promise<string> =>
  record().then(
    () => 'recorded: confirm it, say goodbye and use hang_up',
    () => 'not recorded because of an error: say that they can also send a text with the word STOP',
  );

async function sendDigits(deps: TurnDeps, input: unknown): Promise<string> {
  const digits = digitsOf(input);
  if (digits === null) return 'refused: not keys of a phone';
  await deps.session.sendDigits(digits);
  deps.emit({ kind: 'digits_sent', at_ms: deps.since(deps.clock.ms()), digits });
  return 'sent';
}
