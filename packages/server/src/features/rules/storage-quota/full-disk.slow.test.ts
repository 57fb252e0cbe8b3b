// A full disk (O5): requests and senders get an error, /readyz reports it, and the service recovers without a restart.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { startTestApp, type TestApp } from '../../../../testing/app.ts';
import { eventually } from '../../../../testing/calls.ts';
import { createMailbox, startMailApp } from '../../../../testing/mail-app.ts';
import { deliver, rawMessage } from '../../../../testing/smtp-client.ts';
import { sql } from '../../../platform/db/sql.ts';

const mebibyte = 1024 * 1024;

/** A real file system of a few megabytes; null if this process may not mount one. */
function smallDisk(megabytes: number): string | null {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return null;
  const folder = mkdtempSync(join(tmpdir(), 'parley-disk-'));
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', folder], { stdio: 'ignore' });
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

async function upload({ url, client }: TestApp, bytes: number) {
  const form = new FormData();
  form.append('file', new Blob([Buffer.alloc(bytes)]), 'file.bin');
  const response = await fetch(`${url}/v1/email-attachments`, {
    method: 'POST',
    headers: { authorization: `Bearer ${client.key}` },
    body: form,
  });
  const { code } = (await response.json()) as { code?: string };
  return { status: response.status, code, retry_after: response.headers.get('retry-after') };
}

const readiness = async ({ client }: TestApp) => {
  const { status, body } = await client.request<{ checks: object }>('GET', '/readyz');
  return { status, checks: body.checks };
};

const disk = smallDisk(12);
const skip = disk === null && 'only root can mount a small file system';

describe('a disk that is really full (O5)', { skip }, async () => {
  if (disk === null) return;
  const tested = await startMailApp({ PARLEY_DATA_DIR: disk, PARLEY_STORAGE_MIN_FREE_MB: '0' });
  const port = tested.smtp_port;
  const filler = join(disk, 'filler');
  const stored = () =>
    readdirSync(join(disk, 'objects', 'attachments'), { recursive: true, withFileTypes: true }).filter(
      (each) => each.isFile(),
    );

  test('uploads get 507 and mail gets 452, no partial object remains, and both work again after space is freed', async () => {
    assert.equal((await upload(tested, mebibyte)).status, 201);
    const before = stored().length;
    writeFileSync(filler, Buffer.alloc(9 * mebibyte));
    assert.deepEqual(await upload(tested, 3 * mebibyte), {
      status: 507,
      code: 'storage_full',
      retry_after: '30',
    });
    assert.equal(stored().length, before);

    const { default_address: to } = await createMailbox(tested.client);
    const raw = rawMessage({ to, body: `${'x'.repeat(70)}\r\n`.repeat(45_000) });
    assert.match(await deliver(port, { to, raw }), /^452 4\.3\.1/);
    // Requests that store no object still work.
    assert.equal((await tested.client.request('GET', '/v1/contacts')).status, 200);

    rmSync(filler);
    assert.match(await deliver(port, { to, raw }), /^250/);
    assert.equal((await upload(tested, mebibyte)).status, 201);
  });
});

describe('a disk with less free space than configured (O5)', { skip }, async () => {
  const small = skip ? null : smallDisk(8);
  if (small === null) return;
  const tested = await startTestApp({ PARLEY_DATA_DIR: small, PARLEY_STORAGE_MIN_FREE_MB: '4' });
  const filler = join(small, 'filler');

  test('/readyz fails and objects are refused until space is freed', async () => {
    assert.equal((await readiness(tested)).status, 200);
    writeFileSync(filler, Buffer.alloc(5 * mebibyte));
    const { status, checks } = await readiness(tested);
    assert.equal(status, 503);
    assert.match((checks as { disk: string }).disk, /^unavailable: \d+ MB are free/);
    await eventually('uploads are refused', async () => (await upload(tested, 1000)).code === 'storage_full');
    rmSync(filler);
    assert.equal((await readiness(tested)).status, 200);
    await eventually('uploads are accepted', async () => (await upload(tested, 1000)).status === 201);
  });
});

describe('a database whose disk is full (O5)', async () => {
  const { client, db } = await startTestApp();

  test('gives 507, and works again after space is freed', async () => {
    await db.run(sql`
      create function disk_full() returns trigger language plpgsql as $$
      begin raise exception 'could not extend file' using errcode = '53100'; end $$`);
    await db.run(
      sql`create trigger disk_full before insert on contacts for each row execute function disk_full()`,
    );
    const ana = { name: 'Ana', email: 'ana@example.com' };
    const refused = await client.request('POST', '/v1/contacts', ana);
    assert.deepEqual([refused.status, refused.body.code], [507, 'storage_full']);
    await db.run(sql`drop trigger disk_full on contacts`);
    assert.equal((await client.request('POST', '/v1/contacts', ana)).status, 201);
  });
});
