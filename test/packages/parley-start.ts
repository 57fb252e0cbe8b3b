// Runs `parley start` of the installed packages in an empty folder, and commands of the same installation against it.
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { waitFor } from '../../packages/server/testing/wait-for.ts';
import { productVersion } from '../../scripts/version.ts';
import { postmasterOf, signal } from '../journeys/process.ts';

type Parley = <T>(...args: string[]) => Promise<T>;
export type StartedService = { url: string; parley: Parley; stop(): Promise<void> };

/** `program` is the command of the installed package. */
export async function startInEmptyFolder(
  t: { after(done: () => Promise<void>): void },
  { node, program }: { node: string; program: string },
): Promise<StartedService> {
  const home = mkdtempSync(join(tmpdir(), 'parley-start-'));
  const environment = { PATH: process.env.PATH, HOME: home, PORT: '0', MCP_PORT: '0' };
  const service = spawn(node, [program, 'start'], { cwd: home, env: environment });
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
  const is_ready = () => /Key {3}\S+[\s\S]*\n\n/.test(output) || service.exitCode !== null;
  await waitFor('the service is ready', is_ready);
  const url = /API +(\S+)\/v1/.exec(output)?.[1];
  const key = /Key {3}(\S+)/.exec(output)?.[1];
  assert.ok(url && key, output);

  const parley: Parley = async (...args) => {
    const stdout = await new Promise<string>((resolve, reject) => {
      const options = { cwd: home, env: environment };
      const child = execFile(node, [program, ...args, '--base-url', url], options, (error, out, problem) =>
        error ? reject(new Error(`${args.join(' ')}: ${problem}`)) : resolve(out),
      );
      child.stdin!.end(args.includes('-') ? key : '');
    });
    return JSON.parse(stdout);
  };
  const stop = async () => {
    service.kill('SIGTERM');
    assert.deepEqual(await exited, [0, null], output);
    assert.ok(!existsSync(join(home, 'data/postgres/postmaster.pid')), 'PostgreSQL has stopped');
  };
  return { url, parley, stop };
}

/** An email, a text and a spoken call, as a person does them first. `done` is called after each of them. */
export async function useEveryChannel(
  { parley }: StartedService,
  done: (channel: 'email' | 'text' | 'call') => void = () => {},
): Promise<void> {
  await parley('auth', 'set', '-');
  const consent = '--recipient-consent';
  const email = await parley<{ id: string }>(
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
  const statusOf = async (noun: string, id: string) =>
    (await parley<{ status: string }>(noun, 'get', id)).status;
  assert.match(await statusOf('emails', email.id), /^(sent|delivered)$/);
  done('email');
  const text = await parley<{ id: string }>('sms', 'send', '--to', '+15005550001', '--body', 'Hi', consent);
  await waitFor('the text is delivered', async () => (await statusOf('sms', text.id)) === 'delivered');
  done('text');
  const placed = await parley<{ id: string }>(
    ...['calls', 'create', '--to', '+15005550201', '--system-prompt', 'Ask for their name.', consent],
  );
  const call = await parley<{ status: string; end_reason: string }>('calls', 'wait', placed.id);
  assert.equal(call.status, 'completed', call.end_reason);
  done('call');
}

/** Files that the server finds in its own package: console, guides, reference, version. */
export async function readShippedFiles({ url }: StartedService): Promise<void> {
  const page = async (path: string) => (await fetch(url + path)).text();
  const console_page = await page('/');
  const script = /src="(\/assets\/[^"]+\.js)"/.exec(console_page)?.[1];
  assert.equal((await fetch(url + script)).status, 200);
  assert.match(console_page, /&quot;command&quot;:&quot;parley&quot;/);
  assert.match(await page('/guides/production.md'), /^# /);
  assert.match(await page('/docs/reference/settings'), /PARLEY_BASE_URL/);
  assert.equal(JSON.parse(await page('/healthz')).version, productVersion());
  assert.match(await page('/docs'), /Parley API reference/);
}
