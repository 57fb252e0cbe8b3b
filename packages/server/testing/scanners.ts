// Starts real scanners with private configurations: rspamd without its rules, clamd with one signature of our own.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { freePort } from './free-port.ts';
import { waitFor } from './wait-for.ts';

const missing = (path: string, name: string) =>
  existsSync(path) ? false : `${name} is not installed (scripts/install-debian-programs)`;

/** The reason why the scanners cannot run here, or false. */
export const whyNoScanners = () =>
  missing('/usr/bin/rspamd', 'rspamd') || missing('/usr/sbin/clamd', 'clamd');

/** The standard test file for virus scanners. Split, so that a scanner does not report this source file. */
export const eicar = ['X5O!P%@AP[4\\PZX54(P^)7CC)7}$EICAR', '-STANDARD-ANTIVIRUS-TEST-FILE!$H+H*'].join('');
export const gtube = 'XJS*C4JDBQADN1.NSBN3*2IDNEN*GTUBE-STANDARD-ANTI-UBE-TEST-EMAIL*C.34X';

/** Stopped at the end of the test file. */
async function startProgram(
  name: string,
  write: (folder: string, port: number) => Promise<string[]>,
): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), `parley-${name}-`));
  await chmod(folder, 0o755);
  const port = await freePort();
  const child = spawn(name, await write(folder, port), { stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      output += chunk;
    });
  }
  after(async () => {
    if (child.exitCode === null && child.signalCode === null) {
      // SIGTERM and not SIGKILL: the program must stop its own child processes.
      child.kill('SIGTERM');
      await once(child, 'exit');
    }
    await rm(folder, { recursive: true, force: true });
  });
  await untilListening(port, child).catch((error: Error) => {
    throw new Error(`${name}: ${error.message}\n${output}`);
  });
  return port;
}

const untilListening = (port: number, child: ChildProcess) =>
  waitFor('the scanner listens', () => {
    if (child.exitCode !== null) throw new Error(`exited with ${child.exitCode}`);
    return new Promise<boolean>((resolve) => {
      const socket = connect(port, '127.0.0.1', () => {
        socket.destroy();
        resolve(true);
      }).on('error', () => resolve(false));
    });
  });

/** For PARLEY_RSPAMD_URL. */
export async function startRspamd(): Promise<string> {
  const port = await startProgram('rspamd', async (folder, at) => {
    const file = join(folder, 'rspamd.conf');
    await writeFile(
      file,
      `options {
  pidfile = "${folder}/pid"; control_socket = "${folder}/control.sock mode=0600"; tempdir = "${folder}";
  filters = ""; disable_hyperscan = true; dns { nameserver = ["127.0.0.1:9"]; timeout = 0.1; retransmits = 1; }
}
logging { type = "console"; level = "warning"; color = false; }
actions { reject = 15; add_header = 6; greylist = 4; }
worker "normal" { bind_socket = "127.0.0.1:${at}"; count = 1; }
`,
    );
    const { username } = userInfo();
    return ['-f', '-i', '-u', username, '-g', username, '-c', file];
  });
  return `http://127.0.0.1:${port}`;
}

/** For PARLEY_CLAMD_ADDRESS. */
export async function startClamd(stream_max = '50M'): Promise<string> {
  const port = await startProgram('clamd', async (folder, at) => {
    await writeFile(join(folder, 'own.hdb'), '44d88612fea8a8f36de82e1278abb02f:68:Eicar-Test-Signature\n');
    const file = join(folder, 'clamd.conf');
    await writeFile(
      file,
      `Foreground yes
DatabaseDirectory ${folder}
TemporaryDirectory ${folder}
TCPSocket ${at}
TCPAddr 127.0.0.1
User ${userInfo().username}
MaxThreads 2
StreamMaxLength ${stream_max}
`,
    );
    return ['-c', file];
  });
  return `127.0.0.1:${port}`;
}
