// A folder of objects that cannot be used: requests get 503 with what to do, /readyz says why, and a repair needs no restart.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { startTestApp, type TestApp } from '../../../../testing/app.ts';
import { eventually } from '../../../../testing/calls.ts';

async function upload({ url, client }: TestApp) {
  const form = new FormData();
  form.append('file', new Blob([Buffer.alloc(1000)]), 'file.bin');
  const response = await fetch(`${url}/v1/email-attachments`, {
    method: 'POST',
    headers: { authorization: `Bearer ${client.key}` },
    body: form,
  });
  const { code, fix } = (await response.json()) as { code?: string; fix?: string };
  return { status: response.status, code, fix, retry_after: response.headers.get('retry-after') };
}

const readiness = async ({ client }: TestApp) => {
  const { status, body } = await client.request<{ checks: Record<string, string> }>('GET', '/readyz');
  return { status, storage: body.checks.storage };
};

async function isRefusedUntil(app: TestApp, repair: () => void): Promise<void> {
  const refused = await upload(app);
  assert.deepEqual([refused.status, refused.code, refused.retry_after], [503, 'storage_unavailable', '30']);
  assert.match(refused.fix!, /\/readyz/);
  await eventually('it is not ready', async () => (await readiness(app)).status === 503);
  assert.match((await readiness(app)).storage!, /cannot be used/);
  repair();
  await eventually('it is ready again', async () => (await readiness(app)).status === 200);
  assert.equal((await upload(app)).status, 201);
}

test('F13: a folder of objects that is no folder any more gives 503, and readiness tries a write', async () => {
  const app = await startTestApp();
  assert.equal((await upload(app)).status, 201);
  const objects = join(app.data_dir, 'objects');
  renameSync(objects, `${objects}-moved`);
  writeFileSync(objects, '');
  await isRefusedUntil(app, () => {
    rmSync(objects);
    renameSync(`${objects}-moved`, objects);
  });
});

/** A real file system of its own; null if this process may not mount one. */
function mountedFolder(): string | null {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return null;
  const folder = mkdtempSync(join(tmpdir(), 'parley-disk-'));
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=12m', 'tmpfs', folder], { stdio: 'ignore' });
  } catch {
    rmSync(folder, { recursive: true });
    return null;
  }
  after(() => {
    execFileSync('umount', ['--lazy', folder]);
    rmSync(folder, { recursive: true });
  });
  return folder;
}

const mounted = mountedFolder();
const skip = mounted === null && 'only root can mount a file system';

test('F13: a read-only file system gives 503, and readiness tries a write', { skip }, async () => {
  if (mounted === null) return;
  const app = await startTestApp({ PARLEY_DATA_DIR: mounted, PARLEY_STORAGE_MIN_FREE_MB: '0' });
  assert.equal((await upload(app)).status, 201);
  execFileSync('mount', ['-o', 'remount,ro', mounted]);
  await isRefusedUntil(app, () => execFileSync('mount', ['-o', 'remount,rw', mounted]));
});
