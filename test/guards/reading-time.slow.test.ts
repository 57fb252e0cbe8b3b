// Guard: the time to read what strangers and tenants write grows no faster than its length, for the worst input that a search finds.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { after, test } from 'node:test';
import { randomNumbers, test_seed } from '../../packages/server/testing/random.ts';
import { readers } from './reading-time/readers.ts';
import { costMs, type Pattern, type Reader, worstCases } from './reading-time/search.ts';

/** Processor time of the search for each reader. More finds more: READING_TIME_SECONDS=30 npm run test:all -- reading-time */
const search_ms = 1000 * Number(process.env.READING_TIME_SECONDS ?? 0.25);
/** READING_TIME_KEEP=on writes the worst inputs of this run into the file of cases. */
const keeps = process.env.READING_TIME_KEEP === 'on';
const cases_file = new URL('./reading-time/cases.json', import.meta.url);
const cases: Record<string, Pattern[]> = JSON.parse(readFileSync(cases_file, 'utf8'));
const kept_cases = 3;

/** Generous: the slowest readers take a tenth of it on an idle machine. */
const max_ms_per_kb = 100;
/** Reading four times as much takes four times as long. Reading that compares everything with everything takes sixteen times. */
const max_growth = 9;
const sizes = [8, 32, 128].map((kilobytes) => kilobytes * 1024);
/** Shorter times are mostly noise. */
const noticeable_ms = 5;

after(() => {
  if (keeps) writeFileSync(cases_file, `${JSON.stringify(cases, null, 2)}\n`);
});

/** The growth of the time over all sizes: work that grows with the square shows at each step. */
async function growthOf(reader: Reader, pattern: Pattern): Promise<{ growth: number; ms: number[] }> {
  const ms: number[] = [];
  let growth = Number.POSITIVE_INFINITY;
  for (const chars of sizes.filter((size) => size <= (reader.max_chars ?? size))) {
    // Each size takes much longer than the one before, if the time grows too fast: three measurements are enough to reject noise.
    ms.push(await costMs(reader, pattern, chars, 3));
    const [before, now] = ms.slice(-2);
    if (now === undefined || before === undefined) continue;
    growth = Math.min(growth, now < noticeable_ms ? 0 : now / Math.max(before, noticeable_ms / 16));
    if (growth < max_growth) break;
  }
  return { growth, ms };
}

const asText = (pattern: Pattern, ms: readonly number[]) =>
  `${JSON.stringify(pattern)} takes ${ms.map((each) => each.toFixed(1)).join(', ')} ms`;

for (const reader of readers) {
  test(`S1: reading ${reader.name} takes time in proportion to its length`, async () => {
    const random = randomNumbers(test_seed);
    const worst = await worstCases(reader, cases[reader.name] ?? [], { random, cpu_ms: search_ms });
    for (const { pattern, ms_per_kb } of worst.slice(0, 2)) {
      assert.ok(ms_per_kb < max_ms_per_kb, `${asText(pattern, [ms_per_kb])} per kilobyte`);
      const { growth, ms } = await growthOf(reader, pattern);
      assert.ok(
        growth < max_growth || ms.length < 2,
        `${asText(pattern, ms)} for ${sizes.join(', ')} characters`,
      );
    }
    if (keeps) cases[reader.name] = worst.slice(0, kept_cases).map(({ pattern }) => pattern);
  });
}
