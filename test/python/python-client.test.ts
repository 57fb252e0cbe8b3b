// The Python client against a real server: its own tests, its types, and its wheel in an empty environment.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, test } from 'node:test';
import { startTestApp } from '../../packages/server/testing/app.ts';
import { codedSpeech } from '../../packages/server/testing/calls.ts';
import { managedOrganization } from '../../packages/server/testing/managed.ts';

const client_folder = resolve('clients/python');
const python = join(client_folder, '.venv/bin/python');
const skip = existsSync(join(client_folder, '.venv/.installed-lock'))
  ? false
  : 'the Python packages are not installed: scripts/install-test-packages';

const folder = mkdtempSync(join(tmpdir(), 'parley-python-'));
after(() => rmSync(folder, { recursive: true }));

type Finished = { code: number | null; output: string };

/** Runs a program without settings of the caller that would change what it does. */
async function run(
  command: string,
  args: string[],
  environment: Record<string, string> = {},
): Promise<Finished> {
  const child = spawn(command, args, {
    cwd: client_folder,
    env: { PATH: process.env.PATH, HOME: folder, PYTHONDONTWRITEBYTECODE: '1', ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, output };
}

async function succeed(...call: Parameters<typeof run>): Promise<string> {
  const { code, output } = await run(...call);
  assert.equal(code, 0, output);
  return output;
}

async function startServer() {
  const service = await startTestApp(
    { PARLEY_MANAGED: 'on', PARLEY_FUNDS: 'on', WEBHOOK_PRIVATE_TARGETS: 'allow' },
    { speech: () => codedSpeech() },
  );
  const managed = await managedOrganization(service);
  return {
    PARLEY_URL: service.url,
    PARLEY_API_KEY: managed.client.key,
    TEST_OPERATOR_KEY: service.client.key,
    TEST_PERSON_KEY: service.operator.key,
    TEST_ORGANIZATION_ID: managed.organization.id,
    TEST_PROJECT_VERSION: JSON.parse(readFileSync('package.json', 'utf8')).version as string,
  };
}
const environment = skip ? null : await startServer();

type Line = { name: string; outcome: 'passed' | 'failed' | 'skipped'; text: string };

test('the tests of the Python client pass', { skip }, async (t) => {
  const report = join(folder, 'report.jsonl');
  const { code, output } = await run(python, ['-m', 'pytest', '-q', '--tb=short'], {
    ...environment,
    TEST_REPORT_FILE: report,
  });
  assert.ok(existsSync(report), output);
  const lines = readFileSync(report, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Line);
  for (const { name, outcome, text } of lines)
    await t.test(name, () => assert.equal(outcome, 'passed', text));
  assert.equal(code, 0, output);
});

test('its types are complete, and the linter has nothing to say', { skip }, async () => {
  await succeed(python, ['-m', 'mypy', '--cache-dir', join(client_folder, '.venv/mypy-cache')]);
  const files = ['--no-cache', '--quiet', '--config', 'pyproject.toml', '.', '../../docs/examples'];
  await succeed(python, ['-m', 'ruff', 'check', ...files]);
  await succeed(python, ['-m', 'ruff', 'format', '--check', ...files]);
});

test('its wheel works in an empty environment with httpx alone', { skip }, async () => {
  await succeed(python, ['-m', 'hatchling', 'build', '-t', 'wheel', '-d', folder]);
  const wheel = readdirSync(folder).find((name) => name.endsWith('.whl')) ?? 'none';
  assert.ok(wheel.startsWith(`parley_sdk-${environment!.TEST_PROJECT_VERSION}-py3-none-any`), wheel);
  const empty = join(folder, 'empty');
  await succeed(python, ['-m', 'venv', '--without-pip', empty]);
  const its_python = join(empty, 'bin/python');
  const wheels = join(client_folder, '.venv/wheels');
  const options = ['--quiet', '--no-index', '--no-compile', '--find-links', wheels];
  await succeed(python, ['-m', 'pip', '--python', its_python, 'install', ...options, join(folder, wheel)]);
  const program = `
import importlib.metadata as m, importlib.resources as r, parley
assert "${empty}" in parley.__file__, parley.__file__
assert m.version("parley-sdk") == parley.__version__
assert (r.files("parley") / "py.typed").is_file()
assert m.metadata("parley-sdk")["License-Expression"] == "Apache-2.0"
print(parley.Parley().identity.whoami()["organization_id"])`;
  const output = await succeed(its_python, ['-c', program], environment!);
  assert.equal(output.trim(), environment!.TEST_ORGANIZATION_ID);
});
