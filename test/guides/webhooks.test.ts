// Runs the receivers of the guide unchanged with real deliveries of the service.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { certifyReceiver } from '@parley/sdk';
import { startTestApp } from '../../packages/server/testing/app.ts';
import { freePort } from '../../packages/server/testing/free-port.ts';
import { createEvents, onlyDelivery, subscribe } from '../../packages/server/testing/webhooks.ts';

const guide = readFileSync('docs/guides/webhooks.md', 'utf8');
const { organization } = await startTestApp();
const folder = mkdtempSync(join(tmpdir(), 'parley-guide-'));
after(() => rmSync(folder, { recursive: true }));

/** Starts a receiver of the guide; `printed` resolves when it has printed the text. */
function start(command: string, file: string, environment: Record<string, string>) {
  const child = spawn(command, [file], {
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  const listeners: (() => void)[] = [];
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
    for (const listener of listeners) listener();
  });
  const printed = (text: string) =>
    new Promise<string>((resolve) => {
      const look = () => output.includes(text) && resolve(output);
      listeners.push(look);
      look();
    });
  const stop = async () => {
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  };
  return { printed, stop };
}

/** The cases of `parley webhooks certify` that the receiver does not pass. */
async function failedCases(target: string, secret: string): Promise<string[]> {
  const { cases } = await certifyReceiver({
    secret,
    async send({ headers, body }) {
      const response = await fetch(target, { method: 'POST', headers, body });
      const is_duplicate = response.headers.get('x-parley-duplicate') === '1';
      return { status: response.status, duration_ms: 0, problem: null, is_duplicate };
    },
  });
  return cases.filter(({ passed }) => !passed).map(({ name }) => name);
}

async function tryReceiver(language: string, command: string, extension: string): Promise<void> {
  const code = new RegExp(`\`\`\`${language}\n([\\s\\S]*?)\`\`\``).exec(guide)?.[1];
  assert.ok(code, `the guide has a receiver in ${language}`);
  const file = join(folder, `receiver.${extension}`);
  writeFileSync(file, code);

  const port = await freePort();
  const target = `http://127.0.0.1:${port}/hooks`;
  const own = organization();
  const { id, secret } = await subscribe(own, target);
  const receiver = start(command, file, { WEBHOOK_SECRET: secret, PORT: String(port) });
  try {
    await receiver.printed('listening');
    await createEvents(own);
    const delivery = await onlyDelivery(own, id);
    assert.deepEqual([delivery.status, delivery.last_status_code], ['delivered', 204]);
    await receiver.printed('call.completed 019a8c1e-9f10-7a44-8c2b-5d6e7f809112');

    const forge = (signature: string) =>
      fetch(target, { method: 'POST', headers: { 'x-service-signature': signature }, body: '{}' });
    const now = Math.floor(Date.now() / 1000);
    for (const forged of ['', 'nonsense', 't=,v1=', `t=${now},v1=${'0'.repeat(64)}`, `t=${now},v1=zz`]) {
      assert.equal((await forge(forged)).status, 400, forged);
    }

    assert.deepEqual(await failedCases(target, secret), []);

    // The old secret is valid for a day after a rotation.
    await own.request('POST', `/v1/webhooks/${id}/rotate-secret`);
    const [, made] = [
      await createEvents(own),
      await own.request<{ items: { id: string }[] }>('GET', `/v1/webhooks/${id}/deliveries`),
    ];
    for (;;) {
      const path = `/v1/webhooks/${id}/deliveries/${made.body.items[0]!.id}`;
      const { status, last_status_code } = (await own.request(`GET`, path)).body;
      if (status === 'delivered') break;
      assert.notEqual(last_status_code, 400);
    }
  } finally {
    await receiver.stop();
  }
}

test('the receiver in TypeScript accepts genuine deliveries and refuses all others', () =>
  tryReceiver('ts', process.execPath, 'ts'));

const has_python = spawnSync('python3', ['--version']).status === 0;
test(
  'the receiver in Python accepts genuine deliveries and refuses all others',
  {
    skip: has_python ? false : 'python3 is not installed',
  },
  () => tryReceiver('python', 'python3', 'py'),
);
