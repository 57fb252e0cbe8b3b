// Shares the sender out fairly: each subscription has a lane, and a lane that fails or is slow gets less of the road.

export type LaneLimits = {
  /**
   * On the way over all lanes and answered promptly so far: more would only queue up in this process. Lanes in doubt
   * share half of each of the two numbers, so that the others always have the other half.
   */
  max_prompt: number;
  /** On the way over all lanes, those included that take long. */
  max_in_flight: number;
  /** How many a new lane may have on the way; it earns more, or less. */
  lane_start: number;
  lane_max: number;
  max_queued: number;
  /** How much of the queue a lane in doubt may fill. */
  max_queued_in_doubt: number;
};

type Lane<T> = {
  id: string;
  queue: T[];
  head: number;
  in_flight: number;
  cap: number;
  /** Its last attempt succeeded. */
  is_proven: boolean;
};

export type Flight<T> = {
  lane_id: string;
  item: T;
  was_proven: boolean;
  since_ms: number;
};

/** fast and slow are successes; cut says nothing about the receiver. */
export type FlightEnd = 'fast' | 'slow' | 'failed' | 'cut';

const many_lanes = 10_000;

export function makeLanes<T>(limits: LaneLimits) {
  const known = new Map<string, Lane<T>>();
  // Lanes with work that they may send, in the order of their turns.
  const ready = { proven: new Set<Lane<T>>(), doubtful: new Set<Lane<T>>() };
  let queued = 0;
  // In the order of their beginning.
  const prompt = new Set<Flight<T>>();
  let in_flight = 0;
  let doubtful_in_flight = 0;
  let doubtful_prompt = 0;
  let doubtful_turn = false;

  const waiting = (lane: Lane<T>) => lane.queue.length - lane.head;

  const laneOf = (id: string): Lane<T> => {
    let lane = known.get(id);
    if (!lane) {
      lane = { id, queue: [], head: 0, in_flight: 0, cap: limits.lane_start, is_proven: false };
      known.set(id, lane);
    }
    return lane;
  };

  /** Puts the lane at the end of its line when it may send. */
  const line = (lane: Lane<T>) => {
    ready.proven.delete(lane);
    ready.doubtful.delete(lane);
    if (waiting(lane) === 0 || lane.in_flight >= lane.cap) return;
    (lane.is_proven ? ready.proven : ready.doubtful).add(lane);
  };

  const shift = (lane: Lane<T>): T => {
    const item = lane.queue[lane.head++]!;
    queued--;
    // Shifting an array moves all of it; cutting off a long used part now and then does not.
    if (lane.head > 1000 || lane.head === lane.queue.length) {
      lane.queue = lane.queue.slice(lane.head);
      lane.head = 0;
    }
    return item;
  };

  const nextLane = (): Lane<T> | null => {
    if (in_flight >= limits.max_in_flight || prompt.size >= limits.max_prompt) return null;
    const proven = first(ready.proven);
    const has_room = doubtful_in_flight < limits.max_in_flight / 2 && doubtful_prompt < limits.max_prompt / 2;
    const doubtful = has_room ? first(ready.doubtful) : null;
    if (!proven || !doubtful) return proven ?? doubtful;
    doubtful_turn = !doubtful_turn;
    return doubtful_turn ? doubtful : proven;
  };

  const noLongerPrompt = (flight: Flight<T>) => {
    if (!prompt.delete(flight)) return;
    if (!flight.was_proven) doubtful_prompt--;
  };

  const bound = (lane: Lane<T>) =>
    Math.min(
      limits.max_queued - queued,
      (lane.is_proven ? limits.max_queued : limits.max_queued_in_doubt) - waiting(lane),
    );

  return {
    add(id: string, items: readonly T[]): void {
      const lane = laneOf(id);
      for (const item of items) lane.queue.push(item);
      queued += items.length;
      if (!ready.proven.has(lane) && !ready.doubtful.has(lane)) line(lane);
    },

    /** The next one to send, each lane in its turn; null when nothing may be sent now. */
    take(now_ms: number): Flight<T> | null {
      const lane = nextLane();
      if (!lane) return null;
      const item = shift(lane);
      lane.in_flight++;
      in_flight++;
      if (!lane.is_proven) {
        doubtful_in_flight++;
        doubtful_prompt++;
      }
      line(lane);
      const flight = {
        lane_id: lane.id,
        item,
        was_proven: lane.is_proven,
        since_ms: now_ms,
      };
      prompt.add(flight);
      return flight;
    },

    done(flight: Flight<T>, end: FlightEnd): void {
      const lane = known.get(flight.lane_id)!;
      lane.in_flight--;
      in_flight--;
      noLongerPrompt(flight);
      if (!flight.was_proven) doubtful_in_flight--;
      if (end === 'fast') lane.cap = Math.min(limits.lane_max, lane.cap + 1);
      if (end === 'slow') lane.cap = Math.min(limits.lane_start, lane.cap + 1);
      if (end === 'failed') lane.cap = Math.max(1, Math.floor(lane.cap / 2));
      if (end !== 'cut') lane.is_proven = end !== 'failed';
      if (known.size > many_lanes && lane.in_flight === 0 && waiting(lane) === 0) known.delete(lane.id);
      // A lane already in line keeps its turn, unless it changed lines.
      const lined = lane.is_proven ? ready.proven : ready.doubtful;
      if (!lined.has(lane)) line(lane);
    },

    /** Those that began before are no longer prompt, and make room for others; true when there were any. */
    overtake(before_ms: number): boolean {
      const size = prompt.size;
      for (const flight of prompt) {
        if (flight.since_ms > before_ms) break;
        noLongerPrompt(flight);
      }
      return prompt.size < size;
    },

    /** Takes everything out that was not sent yet. */
    empty(id?: string): { lane_id: string; item: T }[] {
      const lanes =
        id === undefined ? [...known.values()] : [known.get(id)].filter((lane) => lane !== undefined);
      return lanes.flatMap((lane) => {
        const items = lane.queue.slice(lane.head);
        queued -= items.length;
        lane.queue = [];
        lane.head = 0;
        line(lane);
        return items.map((item) => ({ lane_id: lane.id, item }));
      });
    },

    /** How many more a claim may bring: enough to keep the lane busy, not enough to hoard. */
    room(id: string): number {
      const lane = known.get(id);
      if (!lane) return Math.max(0, Math.min(limits.lane_start * 4, limits.max_queued - queued));
      return Math.max(0, Math.min(bound(lane), lane.cap * 4 - waiting(lane)));
    },

    /** Lanes that take no more at the moment. */
    full: (): string[] =>
      queued < limits.max_queued_in_doubt
        ? []
        : [...known.values()].filter((lane) => bound(lane) <= 0).map((lane) => lane.id),

    isLow: (id: string): boolean => {
      const lane = known.get(id);
      return !lane || waiting(lane) < lane.cap;
    },
    queued: () => queued,
    inFlight: () => in_flight,
  };
}
export type Lanes<T> = ReturnType<typeof makeLanes<T>>;

const first = <T>(set: Set<T>): T | null => {
  for (const value of set) return value;
  return null;
};
