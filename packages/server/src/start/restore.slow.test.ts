// Backup and restore of services with a bucket, with the master key in the database, and with the embedded database.
// test/journeys/backup.test.ts runs the commands beside a service that goes on.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { chmodSync, copyFileSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { createDatabase } from '../../testing/database.ts';
import { copyCluster } from '../../testing/prepared-cluster.ts';
import { startBucket } from '../../testing/s3-bucket.ts';
import { waitFor } from '../../testing/wait-for.ts';
import { readConfig } from '../config/config.ts';
import { systemClock } from '../platform/clock.ts';
import { makeLog } from '../platform/log.ts';
import { stopStack } from '../platform/stop-stack.ts';
import { backup } from './backup.ts';
import { restore } from './restore.ts';
import { start } from './start.ts';
import type { StartOptions } from './start-options.ts';

const log = makeLog({ level: 'silent', show_personal_data: false });
const parent = mkdtempSync(join(tmpdir(), 'parley-restore-'));
// The account that PostgreSQL runs under must pass through it.
chmodSync(parent, 0o755);
after(() => rmSync(parent, { recursive: true, force: true }));
const shared_key = 'a-long-key-that-only-this-test-knows';

/** Runs a command to its end, as src/command.ts does. */
async function run<T>(settings: Record<string, string>, work: (options: StartOptions) => Promise<T>) {
  const said: string[] = [];
  const stops = stopStack({ log, grace_ms: 5000 });
  const config = readConfig({ PARLEY_SANDBOX: 'on', PARLEY_SHARED_KEY: shared_key, ...settings }, parent);
  const say = (line: string) => void said.push(line);
  try {
    return { result: await work({ config, log, say, signal: new AbortController().signal, stops }), said };
  } finally {
    await stops.stop();
  }
}

const command = (settings: Record<string, string>, ...args: string[]) =>
  promisify(execFile)(process.execPath, [fileURLToPath(new URL('../main.ts', import.meta.url)), ...args], {
    cwd: parent,
    env: { PATH: process.env.PATH, NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE, ...settings },
  });

type Request = (method: string, path: string, body?: unknown) => Promise<Record<string, unknown>>;

/** Runs the service while `use` works with it. */
const withService = (settings: Record<string, string>, use: (request: Request) => Promise<void>) =>
  run({ PORT: '0', MCP_PORT: '0', PARLEY_HEALTH_PORT: 'off', ...settings }, async (options) => {
    const { app } = await start(options);
    await use(async (method, path, body) => {
      const form = body instanceof FormData;
      const response = await fetch(app!.baseUrl() + path, {
        method,
        headers: {
          authorization: `Bearer ${shared_key}`,
          ...(body === undefined || form ? {} : { 'content-type': 'application/json' }),
        },
        ...(body === undefined ? {} : { body: form ? body : JSON.stringify(body) }),
      });
      const text = await response.text();
      assert.ok(response.status < 300, text);
      return JSON.parse(text);
    });
  });

test('a bucket, and a master key in the database: restored with --resume, queued texts are sent', async () => {
  const databases = [await createDatabase(), await createDatabase('empty')] as const;
  for (const { drop } of databases) after(drop);
  const buckets = [await startBucket(systemClock()), await startBucket(systemClock())] as const;
  const settingsOf = (index: 0 | 1): Record<string, string> => ({
    DATABASE_URL: databases[index].url,
    PARLEY_STORAGE: 's3',
    PARLEY_S3_ENDPOINT: buckets[index].settings.endpoint,
    PARLEY_S3_REGION: buckets[index].settings.region,
    PARLEY_S3_BUCKET: buckets[index].settings.bucket,
    PARLEY_S3_ACCESS_KEY_ID: buckets[index].settings.access_key_id,
    PARLEY_S3_SECRET_ACCESS_KEY: buckets[index].settings.secret_access_key,
  });
  const [old_settings, new_settings] = [settingsOf(0), settingsOf(1)];
  let text_id = '';
  // Without a worker the text stays in the queue.
  await withService({ ...old_settings, PARLEY_ROLES: 'api' }, async (request) => {
    const form = new FormData();
    form.set('file', new Blob(['content of the attachment']), 'notes.txt');
    await request('POST', '/v1/email-attachments', form);
    await request('PUT', '/v1/providers/llm', {
      ...{ provider: 'openai-compatible', api_key: 'must-survive' },
      params: { base_url: 'http://127.0.0.1:1' },
    });
    const text = { to: '+15005550001', body: 'Once', recipient_consent: true };
    text_id = String((await request('POST', '/v1/sms', text)).id);
  });

  const folder = join(parent, 'bucket');
  const key_file = join(parent, 'master-key');
  const backUp = (target: string, file: string | null) =>
    run(old_settings, (options) => backup(options, target, file));
  await assert.rejects(backUp(folder, null), /--master-key-file/);
  const made = await command(old_settings, 'backup', folder, '--master-key-file', key_file);
  assert.match(made.stdout, /and 1 object to/);
  assert.equal(statSync(key_file).mode & 0o777, process.platform === 'win32' ? 0o666 : 0o600);
  await assert.rejects(backUp(join(parent, 'again'), key_file), /exists. Name a new file/);

  const master_key = readFileSync(key_file, 'utf8').trim();
  const restored = await command(
    { ...new_settings, PARLEY_MASTER_KEY: master_key },
    ...['restore', folder, '--resume'],
  );
  assert.match(restored.stdout, /Restored the backup of/);
  assert.doesNotMatch(restored.stdout, /were not finished/);
  const contents = buckets.map(({ objects }) => [...objects].map(([path, { body }]) => [path, String(body)]));
  assert.deepEqual(contents[1], contents[0]);
  assert.match(String(contents[1]), /content of the attachment/);
  await withService({ ...new_settings, PARLEY_MASTER_KEY: master_key }, async (request) => {
    await waitFor('the text is delivered', async () =>
      (await request('GET', `/v1/sms/${text_id}`)).status === 'delivered' ? true : null,
    );
    assert.equal((await request('POST', '/v1/providers/llm/test', {})).error, 'connection_failed');
  });
});

test('the embedded database: a stopped service is restored in another data folder', async (t) => {
  const cluster = process.env.PARLEY_TEST_CLUSTER;
  if (!cluster) return t.skip('there is no prepared cluster in the temporary folder');
  const [old_dir, new_dir] = [join(parent, 'old'), join(parent, 'new')];
  for (const data_dir of [old_dir, new_dir]) copyCluster(cluster, data_dir);
  const old_settings = { PARLEY_DATA_DIR: old_dir, PARLEY_ROLES: 'api' };
  const new_settings = { PARLEY_DATA_DIR: new_dir, PARLEY_ROLES: 'api' };
  let contact: Record<string, unknown> = {};
  const folder = join(parent, 'embedded');
  await withService(old_settings, async (request) => {
    contact = await request('POST', '/v1/contacts', { name: 'Ana', email: 'ana@example.com' });
    await assert.rejects(run(old_settings, (options) => backup(options, folder, null)));
  });
  const { said } = await run(old_settings, (options) => backup(options, folder, null));
  assert.match(said.join('\n'), /Store a copy of .*master-key in another place/);
  const again = () => run(new_settings, (options) => restore(options, folder, { resume: false }));
  await assert.rejects(again(), /copy it to .*master-key/);
  copyFileSync(join(old_dir, 'master-key'), join(new_dir, 'master-key'));
  await again();
  await withService(new_settings, async (request) => {
    assert.deepEqual(await request('GET', `/v1/contacts/${contact.id}`), contact);
  });
});
