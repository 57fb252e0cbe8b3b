// One turn of the agent: it says a fixed text or lets the model reply, and can be paused and stopped.
import { clauseSplitter, speakable } from '../speak/clauses.ts';
import { beginRound, type Round, type RoundDeps, type RoundOptions } from './round.ts';
import type { TurnPart } from './turn-part.ts';

export type AgentTurn = {
  /** `end_call`: the model asked to end the call. Rejects when the model or speech synthesis fails. */
  done: Promise<'spoken' | 'stopped' | 'end_call'>;
  pause(): void;
  resume(): void;
  stop(): void;
  /** Of the words that are produced already; unlimited while the turn waits for tools. */
  remaining_ms(): number;
  /** What was heard of it so far. */
  heard(): { text: string; ms: number };
  /** Whether speech or keys of the other party may cut off what is said now. */
  mayInterrupt(by: 'speech' | 'dtmf'): boolean;
};

/** A turn that says this text and nothing else. */
export function sayText(
  deps: RoundDeps,
  text: string,
  { heard = null, discloses = true, requested_by = null }: Partial<RoundOptions> = {},
): AgentTurn {
  return startTurn(async (_stopping, { use }) => {
    const round = beginRound(deps, { discloses, heard, requested_by });
    use(partOf(round));
    round.textStarted();
    sayClauses(round, text);
    round.utterance.finish();
    await round.utterance.done;
    round.record(false);
    return 'spoken';
  });
}

export function sayClauses(round: Round, text: string): void {
  const clauses = clauseSplitter();
  for (const clause of [...clauses.push(speakable(text)), ...clauses.flush()]) round.utterance.say(clause);
}

const partOf = (round: Round): TurnPart => ({
  utterance: round.utterance,
  cutOff() {
    round.utterance.stop();
    round.record(true);
  },
});

/** What the work of a turn reports to it. */
export type TurnHandle = {
  /** The part that the turn is in now: pause and stop reach it. */
  use(part: TurnPart): void;
  isPaused(): boolean;
};

export function startTurn(
  work: (stopping: AbortSignal, turn: TurnHandle) => Promise<'spoken' | 'end_call'>,
): AgentTurn {
  const stopping = new AbortController();
  let part: TurnPart | null = null;
  let is_paused = false;
  const handle: TurnHandle = {
    use(next) {
      part = next;
      if (is_paused) next.utterance?.pause();
    },
    isPaused: () => is_paused,
  };
  return {
    done: work(stopping.signal, handle).then(
      (result) => (stopping.signal.aborted ? 'stopped' : result),
      (error) => {
        if (stopping.signal.aborted) return 'stopped' as const;
        part?.cutOff();
        throw error;
      },
    ),
    pause() {
      is_paused = true;
      part?.utterance?.pause();
    },
    resume() {
      is_paused = false;
      part?.utterance?.resume();
    },
    stop() {
      if (stopping.signal.aborted) return;
      stopping.abort(new Error('stopped'));
      part?.cutOff();
    },
    mayInterrupt(by) {
      const { interruptible = 'any' } = part ?? {};
      return interruptible === 'any' || interruptible === by;
    },
    heard: () => ({
      text: part?.utterance?.heard().text ?? '',
      ms: part?.utterance?.heard_ms() ?? 0,
    }),
    remaining_ms: () => (part?.continues ? Number.POSITIVE_INFINITY : (part?.utterance?.remaining_ms() ?? 0)),
  };
}
