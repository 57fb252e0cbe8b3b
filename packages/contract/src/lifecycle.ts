// Declares the states of a record and the only moves between them; SQL, docs and tests derive from the value.

export type Move<State extends string, EventType extends string> = {
  from: readonly State[];
  to: State;
  /** The event written in the same commit as the move. */
  emits?: EventType;
};

export type Lifecycle<
  State extends string = string,
  Trigger extends string = string,
  EventType extends string = string,
> = {
  subject: string;
  /** The column that holds the state; `status` when left out. */
  column?: string;
  initial: State;
  /** Other states in which a record may begin, such as a message that came in. */
  also_begins_as?: readonly State[];
  states: readonly State[];
  /** Keyed by what happened, in the past tense. */
  moves: Readonly<Record<Trigger, Move<State, EventType>>>;
};

export function defineLifecycle<
  const State extends string,
  const Trigger extends string,
  const EventType extends string = never,
>(
  lifecycle: Lifecycle<State, Trigger, EventType> & {
    initial: NoInfer<State>;
    also_begins_as?: readonly NoInfer<State>[];
  },
): Lifecycle<State, Trigger, EventType> {
  return lifecycle;
}

export type StateOf<L> = L extends Lifecycle<infer State, string, string> ? State : never;
export type TriggerOf<L> = L extends Lifecycle<string, infer Trigger, string> ? Trigger : never;

/** The state after a trigger, or null where the trigger does not apply: late or repeated news changes nothing. */
export function nextState<State extends string, Trigger extends string, EventType extends string>(
  lifecycle: Lifecycle<State, Trigger, EventType>,
  state: State,
  trigger: Trigger,
): State | null {
  const move = lifecycle.moves[trigger];
  return move.from.includes(state) ? move.to : null;
}

/** States that no trigger leaves. */
export function finalStates<State extends string>(
  lifecycle: Lifecycle<State, string, string>,
): readonly State[] {
  const left = new Set(Object.values(lifecycle.moves).flatMap((move) => move.from));
  return lifecycle.states.filter((state) => !left.has(state));
}
