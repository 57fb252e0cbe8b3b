// Writes results in the XML format of JUnit, which CI servers and editors read.
import { failedTests, skippedTests } from './print.ts';
import type { FileResult } from './run-process.ts';

const seconds = (ms: number) => (ms / 1000).toFixed(3);

/** XML 1.0 has no control characters except tabs and line ends, and no halves of surrogate pairs. */
const no_xml = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu;

const escaped = (text: string): string =>
  text
    .replaceAll(no_xml, '')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll('\n', '&#10;');

const element = (name: string, text: string) =>
  `      <${name} message="${escaped(text.split('\n')[0]!)}">${escaped(text)}</${name}>\n`;

/** A test that failed in the whole run and passed alone has passed, with a `flakyFailure`. */
export function junitReport(
  results: readonly FileResult[],
  unstable: readonly FileResult[],
  duration_ms: number,
): string {
  const tests = results.reduce((sum, result) => sum + result.tests.length, 0);
  const failures = results.reduce((sum, result) => sum + failedTests(result).length, 0);
  const suites = results.map((result) =>
    suite(
      result,
      unstable.filter(({ file }) => file === result.file),
    ),
  );
  return `<?xml version="1.0" encoding="UTF-8"?>
<testsuites tests="${tests}" failures="${failures}" time="${seconds(duration_ms)}">
${suites.join('')}</testsuites>
`;
}

function suite(result: FileResult, unstable: readonly FileResult[]): string {
  const { file, tests, duration_ms } = result;
  const first_errors = new Map(
    unstable.flatMap((each) => failedTests(each).map(({ name, error }) => [name, error!])),
  );
  const cases = tests.map(({ name, error, skipped, duration_ms: test_ms }) => {
    const first_error = first_errors.get(name);
    const details = [
      error === null ? '' : element('failure', error),
      error === null && first_error !== undefined ? element('flakyFailure', first_error) : '',
      skipped === null ? '' : `      <skipped message="${escaped(skipped)}"/>\n`,
    ].join('');
    const opening = `    <testcase classname="${escaped(file)}" name="${escaped(name)}" time="${seconds(test_ms)}"`;
    return details === '' ? `${opening}/>\n` : `${opening}>\n${details}    </testcase>\n`;
  });
  const counts = `tests="${tests.length}" failures="${failedTests(result).length}" skipped="${skippedTests(result).length}"`;
  return `  <testsuite name="${escaped(file)}" ${counts} time="${seconds(duration_ms)}">\n${cases.join('')}  </testsuite>\n`;
}
