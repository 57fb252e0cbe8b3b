// The seed of random tests, and numbers that follow from it.

/** The test runner chooses and prints one seed per run. Set TEST_SEED to the printed value to repeat the run. */
export const test_seed = Number(process.env.TEST_SEED ?? Math.floor(Math.random() * 2 ** 31));

/** Mulberry32: small, and the same numbers for the same seed on every machine. */
export function randomNumbers(seed: number) {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (limit: number) => Math.floor(next() * limit);
  return {
    /** From 0 to 1. */
    next,
    below,
    pick: <T>(list: readonly T[]): T => list[below(list.length)]!,
    bytes: (length: number) => Buffer.from(Array.from({ length }, () => below(256))),
  };
}
export type RandomNumbers = ReturnType<typeof randomNumbers>;
