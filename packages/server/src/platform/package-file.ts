// Finds a file inside an installed package and reads it, provided that it is byte for byte the one we know.
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';

export type PackageFile = {
  /** Of the package: what its main entry resolves to. */
  entry: string;
  /** Seen from the entry. */
  path: string;
  sha256: string;
};

export class PackageFileChanged extends Error {
  override name = 'PackageFileChanged';
  constructor(file: PackageFile, cause?: unknown) {
    super(`${file.entry}: ${file.path} is not the file this version was made for. Run npm ci.`, { cause });
  }
}

/** Where a package keeps its data is not promised by its version number, so the content is checked. */
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
