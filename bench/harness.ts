// Measures a row: limit and subject alternate for several rounds; the verdict depends on their ratio.
import { processorTime_us, timeOfOthers_us } from './cpu.ts';
import type { Load, LoadResult } from './load-generator.ts';
import { openStage, type Stage } from './stage.ts';

export type Sample = {
  /** A rate, a time or a size in the unit of the row. */
  value: number;
  /** CPU time of the processes under test and their database, without the load generator. */
  cpu_us_per_op?: number | null;
};

/** Takes one sample; throws if the results of the measured work are wrong. */
export type Side = () => Promise<Sample>;

/** A limit that is a fixed number. */
export const constant =
  (value: number): Side =>
  async () => ({ value });

export type Target = { comparison: '>=' | '<='; ratio: number };

export type Row = {
  /** The name on the command line. */
  name: string;
  /** What is measured, for the table: "POST /v1/contacts". */
  subject: string;
  /** What it is compared with: "one-row commits on 32 connections". */
  limit: string;
  unit: string;
  /** What subject ÷ limit must be. */
  target: Target;
  /** Only for rows whose rounds take seconds or do not vary. */
  rounds?: Partial<Record<Scale, number>>;
  /** `false`: the first round is measured, for example the start of a process. */
  warm_up?: false;
  /** Other processes cannot change the value (for example memory), so the row has a verdict on a busy machine too. */
  undisturbed?: true;
  /** The limit is a fixed time. Load of others only adds to the time, so a row that stays within it is `ok` on a busy machine too. */
  fixed_time?: true;
  /** Starts what the row needs; everything on the stage is stopped after the row. */
  prepare(run: Run): Promise<{ limit: Side; subject: Side; peers?: Record<string, Side> }>;
};

export const scales = ['quick', 'normal', 'full'] as const;
export type Scale = (typeof scales)[number];
const rounds_of: Record<Scale, number> = { quick: 3, normal: 5, full: 5 };
const window_ms_of: Record<Scale, number> = { quick: 700, normal: 3000, full: 10_000 };

const most_warm_up_samples = 6;
/** A side is warm when a sample costs at least this share of the previous one. */
const settled = 0.92;

/** What a row can use. */
export type Run = {
  scale: Scale;
  /** The duration of one sample of a rate. */
  window_ms: number;
  /** Closed after the row. */
  stage: Stage;
  /** Created once for all rows that use the same name; closed at the end of the run. */
  shared<T>(name: string, create: (stage: Stage) => Promise<T>): Promise<T>;
  load(load: Load): Promise<LoadResult>;
};

export type Verdict = 'ok' | 'MISSED' | 'NOISY' | 'BROKEN';

export type RowResult = {
  name: string;
  subject: string;
  limit: string;
  unit: string;
  target: Target;
  verdict: Verdict;
  /** Why the row is noisy or broken. */
  reason: string | null;
  measured: Measured | null;
};

export type Measured = {
  rounds: number;
  limit: Sample;
  subject: Sample;
  peers: Record<string, Sample>;
  ratio: number;
  ratio_spread: number;
  ratios: number[];
  /** Processor time of other programs while the row was measured, in cores. */
  others_cores: number | null;
};

const quiet = { others_cores: 0.2, ratio_spread: 0.25 };

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length / 2;
  return sorted.length % 2 === 1 ? sorted[Math.floor(middle)]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

/** Highest minus lowest value, as a share of the median. */
export const spread = (values: readonly number[]): number =>
  (Math.max(...values) - Math.min(...values)) / median(values);

export function judge(
  target: Target,
  measured: Pick<Measured, 'ratio' | 'ratio_spread' | 'ratios' | 'others_cores'>,
  { fixed_time }: Pick<Row, 'fixed_time'> = {},
): { verdict: Verdict; reason: string | null } {
  const { ratio, ratio_spread, ratios, others_cores } = measured;
  const meets = (value: number) =>
    target.comparison === '>=' ? value >= target.ratio : value <= target.ratio;
  if (fixed_time && ratios.every(meets)) return { verdict: 'ok', reason: null };
  if (others_cores !== null && others_cores > quiet.others_cores) {
    return { verdict: 'NOISY', reason: `others used ${(others_cores * 100).toFixed(0)} % of a core` };
  }
  // If all rounds are on the same side of the target, the spread cannot change the verdict.
  const agreed = ratios.every((each) => meets(each) === meets(ratio));
  if (ratio_spread > quiet.ratio_spread && !agreed) {
    return { verdict: 'NOISY', reason: `the ratio varied by ${(ratio_spread * 100).toFixed(0)} %` };
  }
  return { verdict: meets(ratio) ? 'ok' : 'MISSED', reason: null };
}

/** A missed target on a quiet machine or a wrong result fails the run. */
export const fails = (results: readonly Pick<RowResult, 'verdict'>[]): boolean =>
  results.some(({ verdict }) => verdict === 'MISSED' || verdict === 'BROKEN');

/** Runs `work` and measures the CPU time of one of its operations in these processes. */
export async function costing(
  pids: readonly number[],
  work: () => Promise<{ operations: number; value: number }>,
): Promise<Sample> {
  const before = processorTime_us(pids);
  const { operations, value } = await work();
  const after = processorTime_us(pids);
  return { value, cpu_us_per_op: before === null || after === null ? null : (after - before) / operations };
}

export function openRun(scale: Scale) {
  const stage = openStage();
  const created = new Map<string, Promise<unknown>>();
  const shared = <T>(name: string, create: (stage: Stage) => Promise<T>): Promise<T> => {
    const known = created.get(name) ?? create(stage);
    created.set(name, known);
    return known as Promise<T>;
  };
  const load = async (plan: Load) => {
    const generator = await shared('load generator', async (stage) =>
      stage.startSide<Load, LoadResult>(new URL('./load-generator.ts', import.meta.url)),
    );
    return generator.ask(plan);
  };
  let row_stage: Stage | null = null;

  return {
    async measure(row: Row): Promise<RowResult> {
      const { name, subject, limit, unit, target } = row;
      const facts = { name, subject, limit, unit, target };
      row_stage = openStage();
      try {
        const run: Run = { scale, window_ms: window_ms_of[scale], stage: row_stage, shared, load };
        const measured = await measureRounds(row, run);
        const disturbance = row.undisturbed ? { others_cores: null } : {};
        return { ...facts, ...judge(target, { ...measured, ...disturbance }, row), measured };
      } catch (error) {
        return { ...facts, verdict: 'BROKEN', reason: (error as Error).message, measured: null };
      } finally {
        await row_stage.close();
      }
    },
    shared,
    async close(): Promise<void> {
      await row_stage?.close();
      await stage.close();
    },
  };
}

/** The first operations are slow, because code is not compiled and caches and pools are empty; they are not measured. */
async function warmUp(side: Side): Promise<void> {
  let before = Number.POSITIVE_INFINITY;
  for (let samples = 0; samples < most_warm_up_samples; samples++) {
    const cost = (await side()).cpu_us_per_op;
    if (!cost || cost > before * settled) return;
    before = cost;
  }
}

async function measureRounds(row: Row, run: Run): Promise<Measured> {
  const { limit, subject, peers = {} } = await row.prepare(run);
  const sides: Record<string, Side> = { ...peers, limit, subject };
  if (row.warm_up !== false) for (const side of Object.values(sides)) await warmUp(side);

  const rounds = row.rounds?.[run.scale] ?? rounds_of[run.scale];
  const samples = Object.fromEntries(Object.keys(sides).map((name) => [name, [] as Sample[]]));
  const others_before = timeOfOthers_us();
  const start = performance.now();
  for (let round = 0; round < rounds; round++) {
    for (const [name, side] of Object.entries(sides)) samples[name]!.push(await side());
  }
  const elapsed_us = (performance.now() - start) * 1000;
  const others_after = timeOfOthers_us();

  const ratios = samples.subject!.map((sample, round) => sample.value / samples.limit![round]!.value);
  return {
    rounds,
    limit: middle(samples.limit!),
    subject: middle(samples.subject!),
    peers: Object.fromEntries(Object.keys(peers).map((name) => [name, middle(samples[name]!)])),
    ratio: median(ratios),
    ratio_spread: spread(ratios),
    ratios,
    others_cores:
      others_before === null || others_after === null
        ? null
        : Math.max(0, (others_after - others_before) / elapsed_us),
  };
}

function middle(samples: readonly Sample[]): Sample {
  const costs = samples.flatMap(({ cpu_us_per_op }) => cpu_us_per_op ?? []);
  return {
    value: median(samples.map(({ value }) => value)),
    cpu_us_per_op: costs.length > 0 ? median(costs) : null,
  };
}
