// The report for CI servers has every test with its result, and is well-formed for any text.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { junitReport } from './junit.ts';
import type { TestReport } from './messages.ts';
import type { FileResult } from './run-process.ts';

const report = (name: string, more: Partial<TestReport> = {}): TestReport => ({
  name,
  error: null,
  skipped: null,
  duration_ms: 1500,
  ...more,
});
const result = (file: string, tests: TestReport[]): FileResult => ({
  file,
  tests,
  duration_ms: 2000,
  cpu_ms: 1,
  output: '',
});

test('the report names every test, its time, and why it failed or was skipped', () => {
  const tests = [
    report('passes'),
    report('fails', { error: 'Error: wrong\n    at a.ts' }),
    report('waits', { skipped: 'helm is not installed' }),
  ];
  assert.equal(
    junitReport([result('a.test.ts', tests)], [], 2500),
    `<?xml version="1.0" encoding="UTF-8"?>
<testsuites tests="3" failures="1" time="2.500">
  <testsuite name="a.test.ts" tests="3" failures="1" skipped="1" time="2.000">
    <testcase classname="a.test.ts" name="passes" time="1.500"/>
    <testcase classname="a.test.ts" name="fails" time="1.500">
      <failure message="Error: wrong">Error: wrong&#10;    at a.ts</failure>
    </testcase>
    <testcase classname="a.test.ts" name="waits" time="1.500">
      <skipped message="helm is not installed"/>
    </testcase>
  </testsuite>
</testsuites>
`,
  );
});

test('a test that failed in the whole run and passed alone is marked in its own file', () => {
  const unstable = [result('a.test.ts', [report('late', { error: 'too late' })])];
  const xml = junitReport(
    [result('a.test.ts', [report('late')]), result('b.test.ts', [report('late')])],
    unstable,
    1,
  );
  assert.match(xml, /^<testsuites tests="2" failures="0"/m);
  assert.equal(xml.match(/<flakyFailure message="too late">/g)?.length, 1);
});

test('any text is escaped, and what XML cannot hold is left out', () => {
  const xml = junitReport([result('a.test.ts', [report('a < b & "c" > \u0007\u001b[31m\ud800')])], [], 1);
  assert.match(xml, /name="a &lt; b &amp; &quot;c&quot; &gt; \[31m"/);
});
