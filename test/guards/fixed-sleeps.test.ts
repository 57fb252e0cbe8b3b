// Guard: no test sleeps for a fixed time. Tests wait for a condition with `waitFor`, or say why they `pause`.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { sourceFiles } from './source-files.ts';

const waiting = 'packages/server/testing/wait-for.ts';
const test_files = sourceFiles().filter(
  (path) =>
    /(\.test\.ts$|\/testing\/|^test\/|conformance)/.test(path) &&
    path !== waiting &&
    path !== 'test/guards/fixed-sleeps.test.ts',
);

/** A promise that a timer settles, in any of the forms that people write. */
const sleeps = [
  /setTimeout(?: as \w+)?\b[^;]*from 'node:timers\/promises'/,
  /new Promise(?:<\w+>)?\(\s*\(\w*\)\s*=>\s*(?:void )?setTimeout\(/,
  /Atomics\.wait\([^)]*,\s*\d+\)/,
];
/** The line of a sleep or the line before it may state a reason. */
const reason = /\/\/ Fixed wait: \S/;

function sleepsIn(text: string): number[] {
  const lines = text.split('\n');
  return lines.flatMap((line, index) => {
    const excused = reason.test(line) || reason.test(lines[index - 1] ?? '');
    return sleeps.some((form) => form.test(line)) && !excused ? [index + 1] : [];
  });
}

test('tests wait for conditions, not for fixed times', () => {
  const found = test_files.flatMap((path) =>
    sleepsIn(readFileSync(path, 'utf8')).map((line) => `${path}:${line}`),
  );
  assert.deepEqual(found, [], `use waitFor or pause of ${waiting}`);
});

test('a pause has a written reason', () => {
  const unexplained = test_files.filter((path) => {
    const text = readFileSync(path, 'utf8');
    if (!text.includes('wait-for.ts')) return false;
    return text
      .split(/(?<![.\w])pause\(/)
      .slice(1)
      .some((rest) => !/^[^;]{1,80},\s*'[^']{10,}'/.test(rest));
  });
  assert.deepEqual(unexplained, []);
});

test('every form of a sleep is found, and a reason excuses it', () => {
  assert.deepEqual(sleepsIn("import { setTimeout as wait } from 'node:timers/promises';"), [1]);
  assert.deepEqual(sleepsIn('await new Promise((resolve) => setTimeout(resolve, 50));'), [1]);
  assert.deepEqual(sleepsIn('// Fixed wait: the peer is slow.\nnew Promise((r) => setTimeout(r, 50));'), []);
});
