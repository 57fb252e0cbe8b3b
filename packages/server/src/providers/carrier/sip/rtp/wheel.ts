// The clock of all RTP sessions of a process: a timer wheel with 20 slots of 1 ms; each session is due every 20 ms, without drift.

export type Wheel<Member> = {
  /** The member is due every 20 ms until the returned function is called. */
  add(member: Member): () => void;
  sessions(): number;
  stop(): void;
};

const slots = 20;
/** After a longer pause of the process the missed ticks are skipped, not sent in one burst. */
const max_catch_up_ms = 200;

type WheelOptions<Member> = {
  /** One function for all members: a closure per member would be a cache miss for every tick. */
  tick: (member: Member, late_ms: number) => void;
  now?: () => number;
  /** Gets the delay of each tick. */
  observe?: (late_ms: number) => void;
};

export function wheel<Member>(options: WheelOptions<Member>): Wheel<Member> {
  const { tick, now = () => performance.now(), observe = () => {} } = options;
  const slot_members: Set<Member>[] = Array.from({ length: slots }, () => new Set());
  let count = 0;
  let timer: NodeJS.Timeout | null = null;
  /** The next millisecond that is due; its slot is its value modulo the number of slots. */
  let due_ms = 0;

  function turn(): void {
    const time = now();
    if (time - due_ms > max_catch_up_ms) due_ms += Math.floor((time - due_ms) / slots) * slots;
    while (due_ms <= time) {
      for (const member of slot_members[due_ms % slots]!) {
        const late_ms = Math.max(0, now() - due_ms);
        observe(late_ms);
        tick(member, late_ms);
      }
      due_ms++;
    }
    timer = count > 0 ? setTimeout(turn, Math.max(1, nextOccupied() - now())) : null;
  }

  /** Skips empty slots, so that a process with one call wakes up only for that call. */
  function nextOccupied(): number {
    for (let ahead = 0; ahead < slots; ahead++) {
      if (slot_members[(due_ms + ahead) % slots]!.size > 0) return due_ms + ahead;
    }
    return due_ms + slots;
  }

  return {
    add(member) {
      // Use the emptiest slot, so that the packets of many sessions are spread over the 20 ms.
      const slot = slot_members.reduce((least, members) => (members.size < least.size ? members : least));
      slot.add(member);
      count++;
      if (timer === null) {
        due_ms = Math.ceil(now());
        timer = setTimeout(turn, 1);
      }
      return () => {
        if (slot.delete(member)) count--;
      };
    },
    sessions: () => count,
    stop() {
      for (const members of slot_members) members.clear();
      count = 0;
      if (timer !== null) clearTimeout(timer);
      timer = null;
    },
  };
}
