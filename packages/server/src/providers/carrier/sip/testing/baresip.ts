// Runs baresip, an independent softphone that answers every call, plays a tone and records the audio it receives.
import { spawn, spawnSync } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../../../../testing/free-port.ts';
import { pause } from '../../../../../testing/wait-for.ts';

export const baresip_is_missing =
  spawnSync('baresip', ['-h']).error === undefined
    ? false
    : 'baresip is not installed: scripts/install-debian-programs';

const modules_folders = ['/usr/lib/baresip/modules', '/usr/lib/x86_64-linux-gnu/baresip/modules'];

/** A mono WAV file at 8 kHz. */
export function wavFile(pcm: Int16Array): Buffer {
  const head = Buffer.alloc(44);
  head.write('RIFF', 0);
  head.writeUInt32LE(36 + pcm.byteLength, 4);
  head.write('WAVEfmt ', 8);
  head.writeUInt32LE(16, 16);
  head.writeUInt16LE(1, 20);
  head.writeUInt16LE(1, 22);
  head.writeUInt32LE(8000, 24);
  head.writeUInt32LE(16_000, 28);
  head.writeUInt16LE(2, 32);
  head.writeUInt16LE(16, 34);
  head.write('data', 36);
  head.writeUInt32LE(pcm.byteLength, 40);
  return Buffer.concat([head, Buffer.from(pcm.buffer, pcm.byteOffset, pcm.byteLength)]);
}

/** The samples of such a file, also when its writer was stopped before it wrote the lengths. */
export function wavSamples(file: Buffer): Int16Array {
  const start = file.indexOf('data') + 8;
  return Int16Array.from({ length: Math.floor((file.length - start) / 2) }, (_, i) =>
    file.readInt16LE(start + 2 * i),
  );
}

type BaresipOptions = {
  transport: 'udp' | 'tcp';
  says: Int16Array;
  /** The user part of its SIP address. */
  user?: string;
  /** It takes only calls with SRTP. */
  encrypted?: boolean;
};

/** baresip also needs the next higher port, which cannot be reserved. When it is in use, another pair is tried. */
export async function startBaresip(options: BaresipOptions) {
  for (let attempt = 1; ; attempt++) {
    try {
      return await startOnce(options);
    } catch (error) {
      if (attempt === 5 || !/Address already in use/.test((error as Error).message)) throw error;
    }
  }
}

async function startOnce(options: BaresipOptions) {
  const folder = await mkdtemp(join(tmpdir(), 'parley-baresip-'));
  const [sip_port, control_port] = [await freePort(), await freePort()];
  await writeConfig(folder, options, sip_port, control_port);
  const child = spawn('baresip', ['-f', folder], { stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (bytes) => {
      output = (output + bytes).slice(-20_000);
    });
  }
  const exited = new Promise((resolve) => child.once('exit', resolve));
  let gone = false;
  void exited.then(() => {
    gone = true;
  });

  let digits = '';
  let control: Socket | null = null;
  while (!control && !gone) control = await tryConnect(control_port);
  if (!control) throw new Error(`baresip ended: ${output}`);
  let text = '';
  control.on('data', (bytes) => {
    text += bytes;
    digits = [...text.matchAll(/"CALL_DTMF_START"[^}]*?"param":"(.)"/g)].map((match) => match[1]).join('');
  });

  return {
    port: sip_port,
    output: () => output,
    /** The digits that it received. */
    digits: () => digits,
    command(name: string, parameters = ''): void {
      const json = JSON.stringify({ command: name, params: parameters, token: 'x' });
      control.write(`${Buffer.byteLength(json)}:${json},`);
    },
    /** The audio that it received so far. */
    async received(): Promise<Int16Array> {
      const name = (await readdir(folder)).find((file) => file.endsWith('-dec.wav'));
      return name ? wavSamples(await readFile(join(folder, name))) : new Int16Array();
    },
    async stop(): Promise<void> {
      control.destroy();
      child.kill('SIGKILL');
      await exited;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Writes the files that baresip reads from its folder. */
async function writeConfig(
  folder: string,
  options: BaresipOptions,
  sip_port: number,
  control_port: number,
): Promise<void> {
  const modules = (
    await Promise.all(
      modules_folders.map((path) =>
        readdir(path).then(
          () => path,
          () => null,
        ),
      ),
    )
  ).find((path) => path !== null);
  await writeFile(join(folder, 'says.wav'), wavFile(options.says));
  await writeFile(
    join(folder, 'config'),
    [
      `sip_listen 127.0.0.1:${sip_port}`,
      'net_interface 127.0.0.1',
      `module_path ${modules}`,
      ...['g711', 'aufile', 'aubridge', 'sndfile', ...(options.encrypted ? ['srtp'] : [])].map(
        (name) => `module ${name}.so`,
      ),
      ...['uuid', 'account'].map((name) => `module_tmp ${name}.so`),
      ...['menu', 'ctrl_tcp'].map((name) => `module_app ${name}.so`),
      `ctrl_tcp_listen 127.0.0.1:${control_port}`,
      `audio_source aufile,${join(folder, 'says.wav')}`,
      'audio_player aubridge,none',
      'audio_alert aubridge,none',
      `snd_path ${folder}`,
      'call_local_timeout 120',
      'rtp_stats no',
      '',
    ].join('\n'),
  );
  await writeFile(
    join(folder, 'accounts'),
    `<sip:${options.user ?? '1000'}@127.0.0.1:${sip_port};transport=${options.transport}>;regint=0;answermode=auto;audio_codecs=PCMU${options.encrypted ? ';mediaenc=srtp-mand' : ''}\n`,
  );
  await writeFile(join(folder, 'contacts'), '');
}
async function tryConnect(port: number): Promise<Socket | null> {
  const socket = connect(port, '127.0.0.1');
  const connected = await new Promise<boolean>((resolve) => {
    socket.once('connect', () => resolve(true));
    socket.once('error', () => resolve(false));
  });
  if (connected) return socket;
  await pause(20, 'between two attempts to connect');
  return null;
}
