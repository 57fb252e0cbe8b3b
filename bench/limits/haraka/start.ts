// Starts Haraka with SPF, DKIM and the storing plugin, on loopback and in one process.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdir, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { connect } from 'node:net';
import { dirname, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { freePort } from '../../../packages/server/testing/free-port.ts';
import { installPeers, requirePeer } from '../../install-peers.ts';
import type { Stage } from '../../stage.ts';

export type HarakaCounts = { stored: number; spf: number; dkim: number };

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

const listens = (port: number) =>
  new Promise<boolean>((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy();
      resolve(true);
    }).on('error', () => resolve(false));
  });

export async function startHaraka(stage: Stage, options: { dns: string; database_url: string }) {
  const folder = stage.makeFolder();
  const port = await freePort();
  await mkdir(join(folder, 'config'));
  await mkdir(join(folder, 'plugins'));
  await mkdir(join(folder, 'mail'));
  const files: Record<string, string> = {
    'config/smtp.ini': `listen=127.0.0.1:${port}\nnodes=0\n`,
    'config/plugins': 'store\nspf\ndkim\n',
    'config/me': 'mail.localhost\n',
    'config/host_list': 'mail.localhost\n',
    'config/loglevel': 'ERROR\n',
    'config/dkim.ini': '[sign]\nenabled=false\n[verify]\nenabled=true\n',
    'package.json': '{"name":"bench-haraka","version":"1.0.0"}\n',
  };
  for (const [path, text] of Object.entries(files)) await writeFile(join(folder, path), text);
  installPeers();
  const home = dirname(requirePeer.resolve('Haraka/package.json'));
  await copyFile(join(home, 'config', 'connection.ini'), join(folder, 'config', 'connection.ini'));
  await copyFile(here('store.cjs'), join(folder, 'plugins', 'store.js'));
  const require = createRequire(import.meta.url);
  const child = fork(join(home, 'bin', 'haraka'), ['-c', folder], {
    cwd: folder,
    env: {
      PATH: process.env.PATH,
      HARAKA: folder,
      // The plugin is copied outside of the repository and finds the packages here.
      NODE_PATH: join(dirname(require.resolve('pg/package.json')), '..'),
      BENCH_DNS: options.dns,
      BENCH_DATABASE_URL: options.database_url,
      BENCH_FOLDER: join(folder, 'mail'),
    },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  let output = '';
  for (const stream of [child.stdout!, child.stderr!]) {
    stream.on('data', (chunk) => {
      output = (output + chunk).slice(-5000);
    });
  }
  const ended = once(child, 'exit');
  stage.atClose(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  for (const deadline = Date.now() + 20_000; !(await listens(port)); await wait(100)) {
    if (child.exitCode !== null || Date.now() > deadline)
      throw new Error(`Haraka does not listen: ${output}`);
  }
  return {
    pid: child.pid!,
    port,
    output: () => output,
    async counts(): Promise<HarakaCounts> {
      child.send('counts');
      const [counts] = (await once(child, 'message')) as [HarakaCounts];
      return counts;
    },
  };
}
