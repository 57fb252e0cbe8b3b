// Measures the longest time that the event loop of this process was blocked, in processor time.

const tick_ms = 5;

/**
 * Processor time of the main thread between two ticks of a timer: code that blocks the event loop shows up as one long
 * interval. Wall-clock time would also count other processes of a busy machine.
 */
export function watchEventLoop() {
  let longest_ms = 0;
  let before = process.threadCpuUsage();
  const sample = () => {
    const used = process.threadCpuUsage(before);
    before = process.threadCpuUsage();
    longest_ms = Math.max(longest_ms, (used.user + used.system) / 1000);
  };
  const timer = setInterval(sample, tick_ms);
  return {
    /** The longest interval since the last call. */
    longest_ms(): number {
      sample();
      const longest = longest_ms;
      longest_ms = 0;
      return longest;
    },
    stop: () => clearInterval(timer),
  };
}
