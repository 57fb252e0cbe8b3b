// Measures the longest turn of the event loop of this process, in processor time: a busy machine does not look like a long turn.

const every_ms = 1;

export type EventLoopProbe = {
  /** The longest turn since the start or the last reading. */
  longestMs(): number;
  stop(): void;
};

export function eventLoopProbe(): EventLoopProbe {
  const now_ms = () => {
    const { user, system } = process.threadCpuUsage();
    return (user + system) / 1000;
  };
  let before_ms = now_ms();
  let longest_ms = 0;
  const measure = () => {
    const after_ms = now_ms();
    longest_ms = Math.max(longest_ms, after_ms - before_ms);
    before_ms = after_ms;
  };
  // The timer is due in each turn that takes longer than its interval.
  const timer = setInterval(measure, every_ms);
  return {
    longestMs() {
      measure();
      const result = longest_ms;
      longest_ms = 0;
      return result;
    },
    stop: () => clearInterval(timer),
  };
}
