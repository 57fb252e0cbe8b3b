// Reporter of a test process: sends the result of every test and of every file to the runner.
import type { TestEvent } from 'node:test/reporters';
import { inspect } from 'node:util';
import { report } from './messages.ts';

type Reported = Extract<TestEvent, { type: 'test:pass' | 'test:fail' }>['data'];
type TestError = Error & { failureType?: string };

/** In `run-files.ts` the outermost tests are the files. */
const files_are_tests = process.env.TEST_PROCESS_RUNS_FILES === '1';
const outermost = files_are_tests ? 1 : 0;

/** Names of the tests around the current one, outermost first. */
const names: string[] = [];
let cpu_before_file_ms = 0;

function cpuOfFile(): number {
  const { user, system } = process.cpuUsage();
  const total_ms = (user + system) / 1000;
  const own_ms = total_ms - cpu_before_file_ms;
  cpu_before_file_ms = total_ms;
  return own_ms;
}

function textOf(error: TestError): string {
  const { cause } = error;
  const text = inspect(cause instanceof Error ? cause : (cause ?? error), { depth: 4 });
  return text.replaceAll(/\n\s+at .*node:internal.*/g, '');
}

function reportTest(data: Reported, error: TestError | null): void {
  const is_file = data.nesting < outermost;
  // A test with subtests fails when one of them does: the subtest has its own line.
  const own_error = error?.failureType === 'subtestsFailed' ? null : error;
  const skipped = data.skip === undefined || data.skip === false ? null : String(data.skip);
  // A suite that is skipped reports none of its tests.
  const is_group = is_file || (data.details.type === 'suite' && skipped === null);
  const worth_a_line = own_error !== null || !(is_group || error);
  if (worth_a_line)
    report({
      type: 'test',
      name: is_file ? '(the file itself)' : [...names.slice(outermost, data.nesting), data.name].join(' > '),
      error: own_error && textOf(own_error),
      skipped,
      duration_ms: data.details.duration_ms,
    });
  if (is_file)
    report({
      type: 'file_ended',
      file: data.name,
      duration_ms: data.details.duration_ms,
      cpu_ms: cpuOfFile(),
    });
}

// biome-ignore lint/style/noDefaultExport: node:test loads the default export of a reporter.
export default async function* reporter(source: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  for await (const event of source) {
    if (event.type === 'test:start') names[event.data.nesting] = event.data.name;
    if (event.type === 'test:pass') reportTest(event.data, null);
    if (event.type === 'test:fail') reportTest(event.data, event.data.details.error);
    if (event.type === 'test:diagnostic' && /generated asynchronous activity/.test(event.data.message))
      report({ type: 'stray_error', text: event.data.message });
  }
  report({ type: 'all_ended' });
  yield '';
}
