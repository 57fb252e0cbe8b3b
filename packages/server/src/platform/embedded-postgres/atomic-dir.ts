// Makes a folder whole or not at all, whenever the process is killed.

import { existsSync } from 'node:fs';
import { chmod, mkdir, open, readdir, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { isAlive } from './processes.ts';

/** `fill` gets an empty folder for its own needs and the path in it where the content is to be made. */
export async function makeWholeFolder(
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
      // Another process was first with the same folder: its work is as good as ours.
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
    // A container restarts with the same process numbers: a draft that bears ours is from an earlier life.
    if (maker !== process.pid && isAlive(maker)) continue;
    // The killed maker's child may still be writing for a moment, hence the retries.
    await rm(join(dirname(path), name), { recursive: true, force: true, maxRetries: 10 });
  }
}

/** Without this a power cut could undo the rename while keeping what was written below it later. */
async function syncFolder(path: string): Promise<void> {
  if (process.platform === 'win32') return; // a folder cannot be opened there
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
