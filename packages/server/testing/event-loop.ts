// Measures how long the event loop of this process was kept busy at a stretch, in processor time.

const tick_ms = 5;

/**
 * Processor time of the main thread between two ticks of a timer: whatever runs without giving the loop a turn shows up
 * as one such stretch. Time on the clock would also count what other processes of a busy machine take.
 */
export function watchEventLoop() {
  let longest_ms = 0;
  let before = process.threadCpuUsage();
  const look = () => {
    const used = process.threadCpuUsage(before);
    before = process.threadCpuUsage();
    longest_ms = Math.max(longest_ms, (used.user + used.system) / 1000);
  };
  const timer = setInterval(look, tick_ms);
  return {
    /** The longest stretch since the last time this was asked. */
    longest_ms(): number {
      look();
      const longest = longest_ms;
      longest_ms = 0;
      return longest;
    },
    stop: () => clearInterval(timer),
  };
}
