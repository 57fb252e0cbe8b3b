// `parley start` of the installed packages in an empty folder: a person gets an email, a text and a call with the command line alone.
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { waitFor } from '../../packages/server/testing/wait-for.ts';
import { productVersion } from '../../scripts/version.ts';
import { postmasterOf, signal } from '../journeys/process.ts';
import { installedPackages, oldestNode } from './installed-packages.ts';

const { folder, skip } = await installedPackages();
const node = oldestNode(22);
const program = join(folder, 'node_modules/@parley/cli/bin/parley.js');

test('an empty folder and the oldest Node: email, text and call work, and the service stops in order', {
  skip: skip || (node === null && 'Node 22 is not installed: scripts/install-test-packages'),
}, async (t) => {
  const home = mkdtempSync(join(tmpdir(), 'parley-start-'));
  const environment = { PATH: process.env.PATH, HOME: home, PORT: '0', MCP_PORT: '0' };
  const began_ms = performance.now();
  const service = spawn(node!, [program, 'start'], { cwd: home, env: environment });
  const exited = once(service, 'close');
  t.after(async () => {
    service.kill('SIGKILL');
    await exited;
    const postgres = postmasterOf(join(home, 'data'));
    if (postgres !== null) signal(postgres, 'SIGKILL');
    rmSync(home, { recursive: true, force: true, maxRetries: 10 });
  });
  let output = '';
  for (const stream of [service.stdout, service.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  await waitFor(
    'the service is ready',
    () => /Key {3}\S+[\s\S]*\n\n/.test(output) || service.exitCode !== null,
  );
  const url = /API +(\S+)\/v1/.exec(output)?.[1];
  assert.ok(url, output);

  const parley = async <T>(...args: string[]): Promise<T> =>
    JSON.parse(
      await new Promise<string>((resolve, reject) => {
        const child = execFile(
          node!,
          [program, ...args, '--base-url', url],
          { cwd: home, env: environment },
          (error, stdout, stderr) =>
            error ? reject(new Error(`${args.join(' ')}: ${stderr}`)) : resolve(stdout),
        );
        child.stdin!.end(args[0] === 'auth' ? /Key {3}(\S+)/.exec(output)![1] : '');
      }),
    );
  await parley('auth', 'set', '-');
  const consent = '--recipient-consent';
  const email = await parley<{ status: string }>(
    ...[
      'emails',
      'send',
      '--to',
      'delivered@sandbox.test',
      '--subject',
      'Hello',
      '--body-text',
      'Hi',
      consent,
    ],
  );
  const text = await parley<{ id: string }>('sms', 'send', '--to', '+15005550001', '--body', 'Hi', consent);
  const placed = await parley<{ id: string }>(
    ...['calls', 'create', '--to', '+15005550201', '--system-prompt', 'Ask for their name.', consent],
  );
  const call = await parley<{ status: string; end_reason: string }>('calls', 'wait', placed.id);
  t.diagnostic(`email, text and call after ${((performance.now() - began_ms) / 1000).toFixed(1)} s`);
  assert.match(email.status, /^(queued|accepted|sent|delivered)$/);
  assert.equal(call.status, 'completed', call.end_reason);
  await waitFor(
    'the text is delivered',
    async () => (await parley<{ status: string }>('sms', 'get', text.id)).status === 'delivered',
  );

  // Files that the server finds in its own package: console, guides, reference, version.
  const page = async (path: string) => (await fetch(url + path)).text();
  const script = /src="(\/assets\/[^"]+\.js)"/.exec(await page('/'))?.[1];
  assert.equal((await fetch(url + script)).status, 200);
  assert.match(await page('/guides/production.md'), /^# /);
  assert.equal(JSON.parse(await page('/healthz')).version, productVersion());
  assert.match(await page('/docs'), /Parley API reference/);

  service.kill('SIGTERM');
  assert.deepEqual(await exited, [0, null], output);
  assert.ok(!existsSync(join(home, 'data/postgres/postmaster.pid')), 'PostgreSQL has stopped');
});
