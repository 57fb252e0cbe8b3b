// Reads a data file of an installed package and checks its SHA-256, because packages may move or change their files.
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';

export type PackageFile = {
  /** The package's name, which resolves to its main entry. */
  entry: string;
  /** Path of the file, relative to the main entry. */
  path: string;
  sha256: string;
};

/** The published server gets its speech files from this package, which `npm run build` fills from `entry`. */
const speech_package = '@parley/speech';

export class PackageFileChanged extends Error {
  override name = 'PackageFileChanged';
  constructor(file: PackageFile, cause?: unknown) {
    super(`${file.entry}: ${file.path} is not the file that this version expects. Run npm ci.`, { cause });
  }
}

export class SpeechNotInstalled extends Error {
  override name = 'SpeechNotInstalled';
  constructor() {
    super(`The speech engines are not installed on this server. Install the package ${speech_package}.`);
  }
}

/** Throws `SpeechNotInstalled` when the package was left out of the install. */
export function requireSpeech(): void {
  if (resolved('#llama-tokenizer') === null) throw new SpeechNotInstalled();
}

/** Throws `PackageFileChanged` when the file is missing or has other content. */
export async function readPackageFile(file: PackageFile): Promise<Uint8Array> {
  const url = urlOf(file);
  if (url === null) throw new SpeechNotInstalled();
  let bytes: Uint8Array;
  try {
    bytes = await readFile(url);
  } catch (cause) {
    throw new PackageFileChanged(file, cause);
  }
  if (createHash('sha256').update(bytes).digest('hex') !== file.sha256) throw new PackageFileChanged(file);
  return bytes;
}

function urlOf(file: PackageFile): URL | null {
  const name = file.path.slice(file.path.lastIndexOf('/') + 1);
  const published = resolved(`${speech_package}/${name}`);
  if (published !== null) return new URL(published);
  const entry = resolved(file.entry);
  return entry === null ? null : new URL(file.path, entry);
}

function resolved(specifier: string): string | null {
  try {
    return import.meta.resolve(specifier);
  } catch {
    return null;
  }
}
