// Reads a file of an installed package and checks its SHA-256, because packages may move or change their data files.
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';

export type PackageFile = {
  /** The package's name, which resolves to its main entry. */
  entry: string;
  /** Path of the file, relative to the main entry. */
  path: string;
  sha256: string;
};

export class PackageFileChanged extends Error {
  override name = 'PackageFileChanged';
  constructor(file: PackageFile, cause?: unknown) {
    super(`${file.entry}: ${file.path} is not the file that this version expects. Run npm ci.`, { cause });
  }
}

/** Throws `PackageFileChanged` when the file is missing or has other content. */
export async function readPackageFile(file: PackageFile): Promise<Uint8Array> {
  let bytes: Uint8Array;
  try {
    bytes = await readFile(new URL(file.path, import.meta.resolve(file.entry)));
  } catch (cause) {
    throw new PackageFileChanged(file, cause);
  }
  if (createHash('sha256').update(bytes).digest('hex') !== file.sha256) throw new PackageFileChanged(file);
  return bytes;
}
