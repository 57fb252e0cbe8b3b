// Declares the states of a record and the transitions between them; SQL, docs and tests derive from this value.

export type Move<State extends string, EventType extends string> = {
  from: readonly State[];
  to: State;
  /** The event written in the same commit as the transition. */
  emits?: EventType;
};

export type Lifecycle<
  State extends string = string,
  Trigger extends string = string,
  EventType extends string = string,
> = {
  subject: string;
  /** The table of the records, where its name does not follow from the subject. */
  table?: string;
  /** The column that stores the state. Default: `status`. */
  column?: string;
  initial: State;
  /** Further states in which a record may be created, such as `received` for an inbound message. */
  also_begins_as?: readonly State[];
  states: readonly State[];
  /** Keyed by the trigger, in the past tense. */
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

/** The state after a trigger, or null if the trigger does not apply: late and repeated reports change nothing. */
export function nextState<State extends string, Trigger extends string, EventType extends string>(
  lifecycle: Lifecycle<State, Trigger, EventType>,
  state: State,
  trigger: Trigger,
): State | null {
  const move = lifecycle.moves[trigger];
  return move.from.includes(state) ? move.to : null;
}

/** Final states: no trigger leaves them. */
export function finalStates<State extends string>(
  lifecycle: Lifecycle<State, string, string>,
): readonly State[] {
  const left = new Set(Object.values(lifecycle.moves).flatMap((move) => move.from));
  return lifecycle.states.filter((state) => !left.has(state));
}
