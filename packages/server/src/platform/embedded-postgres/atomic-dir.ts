// Creates a directory completely or not at all, even if the process is killed.

import { existsSync } from 'node:fs';
import { chmod, mkdir, open, readdir, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { isAlive } from './processes.ts';

/** `fill` gets an empty draft directory and the path in it where it must create the content. */
export async function createDirAtomically(
  path: string,
  fill: (draft: string, content: string) => Promise<void>,
): Promise<void> {
  await removeLeftovers(path);
  if (existsSync(path)) return;
  const draft = `${path}.draft-${process.pid}`;
  const content = join(draft, 'content');
  await mkdir(draft);
  try {
    await chmod(draft, 0o711);
    await fill(draft, content);
    await rename(content, path).catch((error) => {
      // Another process created the same directory first. Its content is equal to ours.
      if (!existsSync(path)) throw error;
    });
    await syncFolder(dirname(path));
  } finally {
    await rm(draft, { recursive: true, force: true, maxRetries: 10 });
  }
}

async function removeLeftovers(path: string): Promise<void> {
  const prefix = `${basename(path)}.draft-`;
  for (const name of await readdir(dirname(path))) {
    if (!name.startsWith(prefix)) continue;
    const maker = Number(name.slice(prefix.length));
    // A restarted container reuses process ids: a draft with our id is from an earlier run.
    if (maker !== process.pid && isAlive(maker)) continue;
    // A child of the killed process may still be writing, hence the retries.
    await rm(join(dirname(path), name), { recursive: true, force: true, maxRetries: 10 });
  }
}

/** Without this a power cut could undo the rename but keep later writes below it. */
async function syncFolder(path: string): Promise<void> {
  if (process.platform === 'win32') return; // Windows cannot open a directory.
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
