// Starts Redis, livekit-server and livekit-sip for tests, in the network namespace of the calling process.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../../../../testing/free-port.ts';
import { waitFor } from '../../../../../testing/wait-for.ts';
import { liveKitApi } from '../api.ts';
import { own_address } from './own-network.ts';

const programs = {
  redis: 'redis-server',
  server: process.env.TEST_LIVEKIT_SERVER ?? 'livekit-server',
  sip: process.env.TEST_LIVEKIT_SIP ?? 'livekit-sip',
};
export type Part = keyof typeof programs;

const isMissing = (program: string) => spawnSync(program, ['--version']).error !== undefined;
const missing = Object.values(programs).filter(isMissing);

/** LiveKit publishes its servers as Go modules, not as packages, so CI runs these tests only where they are on PATH. */
export const livekit_is_missing = missing.length === 0 ? false : `not on PATH: ${missing.join(', ')}`;

const access = {
  api_key: 'APItest',
  api_secret: 'secret-of-the-test-with-at-least-32-chars',
  now_ms: Date.now,
};

const serverConfig = (ports: { http: number; rtc: number; redis: number }) => `port: ${ports.http}
bind_addresses: [127.0.0.1]
keys: { ${access.api_key}: ${access.api_secret} }
redis: { address: 127.0.0.1:${ports.redis} }
rtc:
  node_ip: ${own_address}
  use_external_ip: false
  stun_servers: ["127.0.0.1:3478"]
  udp_port: ${ports.rtc}
  tcp_port: 0
room: { empty_timeout: 30, departure_timeout: 5 }
logging: { level: info, json: true }
`;

const sipConfig = (ports: { http: number; sip: number; redis: number; health: number }) => `
api_key: ${access.api_key}
api_secret: ${access.api_secret}
ws_url: ws://127.0.0.1:${ports.http}
redis: { address: 127.0.0.1:${ports.redis} }
sip_port: ${ports.sip}
health_port: ${ports.health}
listen_ip: 127.0.0.1
nat_1_to_1_ip: 127.0.0.1
use_external_ip: false
rtp_port: 30000-31000
max_cpu_utilization: 1
rtp_draining_idle_timeout: -1s
rtp_draining_duration: -1s
logging: { level: ${process.env.TEST_LIVEKIT_LOG ?? 'info'} }
`;

/** In a new network namespace the system may give out the same port twice in a row. */
async function distinctPorts(): Promise<[number, number, number, number, number]> {
  const ports = new Set<number>();
  while (ports.size < 5) ports.add(await freePort());
  return [...ports] as [number, number, number, number, number];
}

export type LiveKitStack = Awaited<ReturnType<typeof startLiveKitStack>>;

export async function startLiveKitStack() {
  const folder = await mkdtemp(join(tmpdir(), 'parley-livekit-'));
  const [redis, http, rtc, sip, health] = await distinctPorts();
  await writeFile(join(folder, 'server.yaml'), serverConfig({ http, rtc, redis }));
  await writeFile(join(folder, 'sip.yaml'), sipConfig({ http, sip, redis, health }));
  const output: Record<Part, string> = { redis: '', server: '', sip: '' };
  const running = new Map<Part, ChildProcess>();
  const commands: Record<Part, string[]> = {
    // With its data on disk: LiveKit finds a room through it, also after a restart.
    redis: ['--port', String(redis), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'yes'],
    server: ['--config', join(folder, 'server.yaml')],
    sip: ['--config', join(folder, 'sip.yaml')],
  };
  const start = async (part: Part) => {
    output[part] = '';
    const child = spawn(programs[part], commands[part], { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] });
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (bytes) => {
        output[part] = (output[part] + bytes).slice(-200_000);
      });
    running.set(part, child);
    await ready(part, { redis, http, health }, child, () => output[part]);
  };
  const kill = async (part: Part, signal: NodeJS.Signals = 'SIGKILL') => {
    const child = running.get(part);
    running.delete(part);
    if (!child || child.exitCode !== null) return;
    const exited = new Promise((resolve) => child.once('exit', resolve));
    child.kill(signal);
    await exited;
  };
  for (const part of ['redis', 'server', 'sip'] as const) await start(part);
  const settings = { ...access, url: `ws://127.0.0.1:${http}` };
  return {
    access: settings,
    sip_port: sip,
    request: liveKitApi(settings),
    output: (part: Part) => output[part],
    pid: (part: Part) => running.get(part)?.pid,
    start,
    kill,
    async close(): Promise<void> {
      for (const part of ['sip', 'server', 'redis'] as const) await kill(part);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Creates an outbound trunk to a phone on loopback, and returns its id. */
export async function createOutboundTrunk(
  { request }: Pick<LiveKitStack, 'request'>,
  peer_port: number,
  number: string,
): Promise<string> {
  const response = await request(
    'SIP/CreateSIPOutboundTrunk',
    { sip: { admin: true } },
    {
      trunk: {
        name: `peer ${peer_port}`,
        address: `127.0.0.1:${peer_port}`,
        transport: 'SIP_TRANSPORT_UDP',
        numbers: [number],
      },
    },
  );
  if (response.outcome !== 'done') throw new Error(`no trunk: ${JSON.stringify(response)}`);
  return (response.json as { sip_trunk_id: string }).sip_trunk_id;
}

async function ready(
  part: Part,
  ports: { redis: number; http: number; health: number },
  child: ChildProcess,
  output: () => string,
): Promise<void> {
  const url = `http://127.0.0.1:${part === 'server' ? ports.http : ports.health}/`;
  await waitFor(
    () => `${part} is ready: ${output().slice(-2000)}`,
    async () => {
      if (child.exitCode !== null) throw new Error(`${part} ended: ${output().slice(-2000)}`);
      if (part === 'redis') return /Ready to accept connections/.test(output());
      const response = await fetch(url).catch(() => null);
      return response?.ok;
    },
  );
}
