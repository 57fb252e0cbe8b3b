// The calls that a simulated carrier received, which a test takes one after the other.

export function callQueue<Call>() {
  const calls: Call[] = [];
  const waiting: ((call: Call) => void)[] = [];
  let delivered = 0;
  return {
    calls,
    add(call: Call): void {
      calls.push(call);
      waiting.shift()?.(call);
    },
    /** For a call that the test already has: `next()` skips it. */
    addSkipped(call: Call): void {
      calls.push(call);
      delivered++;
    },
    /** The next call, in the order in which they were added. */
    next(): Promise<Call> {
      const call = calls[delivered++];
      return call ? Promise.resolve(call) : new Promise((resolve) => waiting.push(resolve));
    },
  };
}
export type CallQueue<Call> = ReturnType<typeof callQueue<Call>>;
