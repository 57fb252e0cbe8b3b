// Starts a real Postfix with a private configuration, as a relay between the service and the SMTP servers of a test.
import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freePort } from './free-port.ts';
import { pause, waitFor } from './wait-for.ts';

/** The reason why Postfix cannot run here, or null. */
export function whyNoPostfix(): string | null {
  if (!existsSync('/usr/sbin/postfix')) return 'Postfix is not installed (scripts/install-debian-programs)';
  if (process.getuid?.() !== 0) return 'Postfix starts only as root';
  return null;
}

export type Postfix = {
  port: number;
  log(): Promise<string>;
  /** Retries all queued messages and waits for one attempt: an earlier second flush would restart it. */
  flush(): Promise<void>;
  stop(): Promise<void>;
};

/** Mail for a domain of `routes` goes to that port on loopback; other mail is refused. */
export async function startPostfix(routes: Record<string, number>): Promise<Postfix> {
  const folder = await mkdtemp(join(tmpdir(), 'parley-postfix-'));
  await chmod(folder, 0o755);
  const port = await freePort();
  const config = await writeConfig(folder, port, routes);
  const child = spawn('/usr/sbin/postfix', ['-c', config, 'start-fg'], { stdio: 'ignore' });
  const log = () => readFile(join(folder, 'mail.log'), 'utf8').catch(() => '');
  const stop = async () => {
    if (child.exitCode === null) {
      execFileSync('/usr/sbin/postfix', ['-c', config, 'stop'], { stdio: 'ignore' });
      if (child.exitCode === null) await once(child, 'exit');
    }
    await rm(folder, { recursive: true, force: true });
  };
  const flush = async () => {
    await promisify(execFile)('/usr/sbin/postfix', ['-c', config, 'flush']);
    await pause(500, 'Postfix starts the deliveries of its queue in the background');
  };
  try {
    await untilGreeting(port, child);
  } catch (error) {
    const log_text = await log();
    await stop().catch(() => {});
    throw new Error(`${(error as Error).message}\n${log_text}`);
  }
  return { port, log, flush, stop };
}

/** Returns the folder of the configuration. */
async function writeConfig(folder: string, port: number, routes: Record<string, number>): Promise<string> {
  const [config, queue, data] = ['config', 'queue', 'data'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  for (const path of [config, queue, data]) await mkdir(path, { mode: 0o755 });
  execFileSync('chown', ['postfix', data]);
  await writeFile(join(config, 'main.cf'), mainConfig({ folder, queue, data, routes }));
  await writeFile(join(config, 'master.cf'), `127.0.0.1:${port} inet n - n - - smtpd\n${services}`);
  return config;
}

function mainConfig(of: { folder: string; queue: string; data: string; routes: Record<string, number> }) {
  const map = Object.entries(of.routes)
    .map(([domain, at]) => `{ ${domain} = smtp:[127.0.0.1]:${at} }`)
    .join(', ');
  return `compatibility_level = 3.6
queue_directory = ${of.queue}
data_directory = ${of.data}
mail_owner = postfix
setgid_group = postdrop
myhostname = relay.test
mydestination =
local_recipient_maps =
inet_interfaces = 127.0.0.1
inet_protocols = ipv4
mynetworks = 127.0.0.0/8
disable_dns_lookups = yes
smtp_host_lookup = native
transport_maps = inline:{ ${map} }
default_transport = error:5.1.2 no such domain here
maillog_file = ${of.folder}/mail.log
maillog_file_prefixes = ${tmpdir()}
smtpd_recipient_restrictions = permit_mynetworks, reject
bounce_queue_lifetime = 1m
minimal_backoff_time = 1s
queue_run_delay = 1s
`;
}

/** The lines of master.cf without the SMTP server. */
const services = `pickup unix n - n 60 1 pickup
cleanup unix n - n - 0 cleanup
qmgr unix n - n 300 1 qmgr
rewrite unix - - n - - trivial-rewrite
bounce unix - - n - 0 bounce
defer unix - - n - 0 bounce
trace unix - - n - 0 bounce
verify unix - - n - 1 verify
flush unix n - n 1000? 0 flush
proxymap unix - - n - - proxymap
smtp unix - - n - - smtp
relay unix - - n - - smtp
error unix - - n - - error
retry unix - - n - - error
discard unix - - n - - discard
anvil unix - - n - 1 anvil
scache unix - - n - 1 scache
tlsmgr unix - - n 1000? 1 tlsmgr
postlog unix-dgram n - n - 1 postlogd
showq unix n - n - - showq
`;

const untilGreeting = (port: number, child: ChildProcess) =>
  waitFor('Postfix greets', () => {
    if (child.exitCode !== null) throw new Error(`Postfix exited with ${child.exitCode}`);
    return new Promise<boolean>((resolve) => {
      const socket = connect(port, '127.0.0.1');
      socket.on('error', () => resolve(false));
      socket.on('data', () => {
        socket.end('QUIT\r\n');
        resolve(true);
      });
    });
  });
