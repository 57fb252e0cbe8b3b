// One run at a time: work that was running when a process ended runs without other work of its kind, so that a second end
// of the process shows which of it was the reason.

/** Shared by all queues of a process. */
export type Solo = {
  /** False while other work has it. */
  tryEnter(): boolean;
  leave(): void;
};

export function makeSolo(): Solo {
  let is_taken = false;
  return {
    tryEnter() {
      if (is_taken) return false;
      is_taken = true;
      return true;
    },
    leave() {
      is_taken = false;
    },
  };
}
