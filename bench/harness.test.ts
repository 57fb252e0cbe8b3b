// The calculation of a verdict, and the measurement of a row with fixed values.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { fails, judge, median, openRun, type Row, spread } from './harness.ts';

describe('the values of several rounds', () => {
  test('the median is the middle value, or the mean of the two in the middle', () => {
    assert.equal(median([3]), 3);
    assert.equal(median([9, 1, 5]), 5);
    assert.equal(median([4, 1, 3, 2]), 2.5);
    assert.equal(median([2, 10, 9]), 9);
  });

  test('the median does not change the order of the rounds', () => {
    const rounds = [3, 1, 2];
    median(rounds);
    assert.deepEqual(rounds, [3, 1, 2]);
  });

  test('the spread is the distance between the extremes as a share of the median', () => {
    assert.equal(spread([1]), 0);
    assert.equal(spread([0.9, 1, 1.2]), (1.2 - 0.9) / 1);
    assert.equal(spread([4, 2, 2]), 1);
  });
});

describe('the verdict', () => {
  const quiet = { ratio_spread: 0.1, ratios: [], others_cores: 0.05 };
  // Rounds on both sides of both targets.
  const apart = { ratio_spread: 0.3, ratios: [0.7, 1.3] };
  const at_least = { comparison: '>=', ratio: 0.8 } as const;
  const at_most = { comparison: '<=', ratio: 1.25 } as const;

  test('a ratio on the target is ok, one beyond it on the wrong side is missed', () => {
    assert.equal(judge(at_least, { ...quiet, ratio: 0.8 }).verdict, 'ok');
    assert.equal(judge(at_least, { ...quiet, ratio: 0.79 }).verdict, 'MISSED');
    assert.equal(judge(at_most, { ...quiet, ratio: 1.25 }).verdict, 'ok');
    assert.equal(judge(at_most, { ...quiet, ratio: 1.26 }).verdict, 'MISSED');
  });

  test('a disturbed row neither passes nor fails, and has a reason', () => {
    for (const ratio of [0.1, 2]) {
      assert.deepEqual(judge(at_least, { ...quiet, ratio, others_cores: 0.21 }), {
        verdict: 'NOISY',
        reason: 'others used 21 % of a core',
      });
      assert.deepEqual(judge(at_least, { ...quiet, ...apart, ratio }), {
        verdict: 'NOISY',
        reason: 'the ratio varied by 30 %',
      });
    }
  });

  test('rounds that vary but are all on one side of the target have a verdict', () => {
    const varied = { ratio_spread: 0.6, others_cores: 0 };
    assert.equal(judge(at_least, { ...varied, ratio: 1.1, ratios: [0.8, 1.1, 1.4] }).verdict, 'ok');
    assert.equal(judge(at_least, { ...varied, ratio: 0.5, ratios: [0.4, 0.5, 0.79] }).verdict, 'MISSED');
    assert.equal(judge(at_least, { ...varied, ratio: 1.1, ratios: [0.79, 1.1, 1.4] }).verdict, 'NOISY');
  });

  test('a time within a fixed limit is ok on a busy machine, because load of others only adds to it', () => {
    const busy = { ...quiet, others_cores: 1 };
    const judged = (ratios: number[]) =>
      judge(at_most, { ...busy, ratio: ratios[0]!, ratios }, { fixed_time: true }).verdict;
    assert.equal(judged([1, 1.1, 1.2]), 'ok');
    assert.equal(judged([1, 1.1, 1.3]), 'NOISY');
  });

  test('a row exactly at the noise limits is judged', () => {
    assert.equal(
      judge(at_least, { ...apart, ratio: 1, ratio_spread: 0.25, others_cores: 0.2 }).verdict,
      'ok',
    );
  });

  test('if the processor time of others is unknown, the spread alone decides', () => {
    assert.equal(judge(at_least, { ...quiet, ratio: 1, others_cores: null }).verdict, 'ok');
    assert.equal(judge(at_least, { ...apart, ratio: 1, others_cores: null }).verdict, 'NOISY');
  });

  test('a run fails if a row is missed or broken, not if it is noisy', () => {
    assert.equal(fails([{ verdict: 'ok' }, { verdict: 'NOISY' }]), false);
    assert.equal(fails([{ verdict: 'ok' }, { verdict: 'MISSED' }]), true);
    assert.equal(fails([{ verdict: 'BROKEN' }]), true);
  });
});

describe('a row', () => {
  const made_up = (sides: Row['prepare']): Row => ({
    name: 'example',
    subject: 'a counter',
    limit: 'a constant',
    unit: 'operations/s',
    target: { comparison: '>=', ratio: 0.5 },
    undisturbed: true,
    prepare: sides,
  });

  test('is warmed up, alternates its sides, and is judged by the median of the ratios', async () => {
    const calls: string[] = [];
    const subjects = [1, 60, 62, 58];
    const run = openRun('quick');
    const result = await run.measure(
      made_up(async () => ({
        limit: async () => {
          calls.push('limit');
          return { value: 100 };
        },
        subject: async () => {
          calls.push('subject');
          return { value: subjects.shift()! };
        },
        peers: { other: async () => ({ value: 20 }) },
      })),
    );
    await run.close();
    assert.deepEqual(calls, Array(4).fill(['limit', 'subject']).flat());
    assert.deepEqual(result.measured?.ratios, [0.6, 0.62, 0.58]);
    assert.equal(result.measured.ratio, 0.6);
    assert.equal(result.measured.peers.other?.value, 20);
    assert.equal(result.verdict, 'ok');
  });

  test('is warmed up until its cost stops falling', async () => {
    const costs = [100, 60, 50, 49, 48, 48, 48];
    const run = openRun('quick');
    const result = await run.measure(
      made_up(async () => ({
        limit: async () => ({ value: 1 }),
        subject: async () => ({ value: 1, cpu_us_per_op: costs.shift()! }),
      })),
    );
    await run.close();
    assert.deepEqual(costs, []);
    assert.equal(result.measured?.subject.cpu_us_per_op, 48);
  });

  test('with wrong results is broken, has no values, and its processes are stopped', async () => {
    const run = openRun('quick');
    let stopped = false;
    const result = await run.measure(
      made_up(async ({ stage }) => {
        stage.atClose(async () => {
          stopped = true;
        });
        return {
          limit: async () => ({ value: 1 }),
          subject: async () => Promise.reject(new Error('2 rows were confirmed, the table has 1')),
        };
      }),
    );
    await run.close();
    assert.equal(result.verdict, 'BROKEN');
    assert.equal(result.reason, '2 rows were confirmed, the table has 1');
    assert.equal(result.measured, null);
    assert.equal(stopped, true);
  });
});
