// Runs Debian's Kamailio with the example configuration, in front of SIP workers on loopback.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { fileURLToPath } from 'node:url';
import { freePort } from '../../../../../testing/free-port.ts';

export const kamailio_is_missing =
  spawnSync('kamailio', ['-v']).error === undefined
    ? false
    : 'kamailio is not installed: scripts/install-debian-programs';

const configuration = fileURLToPath(
  new URL('../../../../../../../deploy/proxy/kamailio.cfg', import.meta.url),
);

/** Stopped at the end of the test file. */
export async function startKamailio(options: { workers: number[]; provider_port: number }) {
  const folder = await mkdtemp(join(tmpdir(), 'parley-kamailio-'));
  const list = join(folder, 'dispatcher.list');
  await writeFile(list, options.workers.map((port) => `1 sip:127.0.0.1:${port}\n`).join(''));
  const port = await freePort();
  const values = {
    LISTEN: `udp:127.0.0.1:${port}`,
    PROVIDER: `"127.0.0.1:${options.provider_port}"`,
    PROVIDER_NETWORK: '"127.0.0.0/8"',
    WORKERS: `"${list}"`,
    PING_SECONDS: '1',
  };
  const child = spawn(
    'kamailio',
    [
      ...['-DD', '-E', '-m', '32', '-M', '4', '-Y', folder, '-f', configuration],
      ...Object.entries(values).flatMap(([name, value]) => ['-A', `${name}=${value}`]),
    ],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  );
  let output = '';
  child.stderr.on('data', (bytes) => {
    output = (output + bytes).slice(-10_000);
  });
  const exited = once(child, 'exit');
  after(async () => {
    child.kill('SIGTERM');
    await exited;
    await rm(folder, { recursive: true, force: true });
  });
  return { port, output: () => output };
}
