// Rows that measure in a separate process and compare the value with a fixed limit.
import { constant, type Row } from '../harness.ts';

export const percentile = (values: readonly number[], share: number): number => {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]!;
};

export const few_rounds = { quick: 2, normal: 3, full: 5 };

/** `file` answers questions with values, of which `choose` takes one. */
export const allowedIn =
  <Question>(file: URL) =>
  (
    figure: Pick<Row, 'name' | 'subject' | 'unit' | 'rounds' | 'fixed_time'>,
    limit: number,
    question: Question,
    choose: (values: number[]) => number,
  ): Row => ({
    ...figure,
    limit: 'allowed',
    target: { comparison: '<=', ratio: 1 },
    warm_up: false,
    async prepare({ stage }) {
      const side = stage.startSide<Question, number[]>(file);
      return {
        limit: constant(limit),
        subject: async () => ({ value: choose(await side.ask(question)) }),
      };
    },
  });
