// The clock of all media sessions of a process: 20 slots of one millisecond, each session due once a turn, without drift.

export type Wheel<Member> = {
  /** The member is due every 20 ms until the returned function is called. */
  add(member: Member): () => void;
  sessions(): number;
  stop(): void;
};

const slots = 20;
/** After a longer stop of the process the missed turns are skipped, not sent in one burst. */
const most_catch_up_ms = 200;

type WheelOptions<Member> = {
  /** One for all members, because hundreds of functions of their own would each have to be fetched from memory. */
  tick: (member: Member, late_ms: number) => void;
  now?: () => number;
  /** Learns how late each tick is. */
  observe?: (late_ms: number) => void;
};

export function wheel<Member>(options: WheelOptions<Member>): Wheel<Member> {
  const { tick, now = () => performance.now(), observe = () => {} } = options;
  const slot_members: Set<Member>[] = Array.from({ length: slots }, () => new Set());
  let count = 0;
  let timer: NodeJS.Timeout | null = null;
  /** The whole millisecond that is due next; its slot is its number modulo the slots. */
  let due_ms = 0;

  function turn(): void {
    const time = now();
    if (time - due_ms > most_catch_up_ms) due_ms += Math.floor((time - due_ms) / slots) * slots;
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

  /** A process with one call wakes up for that call only. */
  function nextOccupied(): number {
    for (let ahead = 0; ahead < slots; ahead++) {
      if (slot_members[(due_ms + ahead) % slots]!.size > 0) return due_ms + ahead;
    }
    return due_ms + slots;
  }

  return {
    add(member) {
      // The emptiest slot: many sessions are sent over the whole 20 ms, not in one heap.
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
