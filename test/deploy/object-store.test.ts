// The object store of the Compose file keeps what the server stores: the real program, started with the command of the file.
// Without the program only the file is checked; a stand-in takes its place where the whole stack is started.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { systemClock } from '../../packages/server/src/platform/clock.ts';
import { storageConformance } from '../../packages/server/src/providers/storage/conformance.ts';
import { s3Storage } from '../../packages/server/src/providers/storage/s3/index.ts';
import { freePort } from '../../packages/server/testing/free-port.ts';
import { waitFor } from '../../packages/server/testing/wait-for.ts';
import { example_environment, ownServices, readCompose } from './compose-file.ts';

const compose = readCompose(example_environment);
const service = compose.services.objects!;
const settings = ownServices(compose)[0]![1].environment!;
/** No package registry has it: `go install github.com/versity/versitygw/cmd/versitygw@<version>`. */
const missing = spawnSync('versitygw', ['--version']).error !== undefined && 'versitygw is not on the PATH';

/** Started before the first test: its end would be the end of the file. Null without the program. */
async function startStore(): Promise<string | null> {
  if (missing) return null;
  const folder = mkdtempSync(join(tmpdir(), 'parley-objects-'));
  const host = `127.0.0.1:${await freePort()}`;
  const [program, ...args] = service.entrypoint!.map((part) => part.replaceAll('/data', folder));
  const store = spawn(program!, args, {
    stdio: 'ignore',
    env: { PATH: process.env.PATH, ...service.environment, VGW_PORT: host },
  });
  after(async () => {
    store.kill('SIGTERM');
    await once(store, 'exit');
    rmSync(folder, { recursive: true, force: true });
  });
  const isHealthy = () =>
    fetch(`http://${host}${service.environment!.VGW_HEALTH}`).then(
      ({ ok }) => ok,
      () => false,
    );
  await waitFor('the object store is healthy', isHealthy);
  return `http://${host}`;
}

const endpoint = await startStore();
const storage = (change: object = {}) =>
  s3Storage({
    endpoint: endpoint!,
    region: service.environment!.VGW_REGION!,
    bucket: settings.PARLEY_S3_BUCKET!,
    access_key_id: settings.PARLEY_S3_ACCESS_KEY_ID!,
    secret_access_key: settings.PARLEY_S3_SECRET_ACCESS_KEY!,
    clock: systemClock(),
    ...change,
  });

test('F7: the object store is a maintained program at a fixed version, with a bucket, a secret and a health check', () => {
  assert.match(service.image!, /^ghcr\.io\/versity\/versitygw:v\d+\.\d+\.\d+$/);
  assert.ok(service.entrypoint!.at(-1)!.includes(`mkdir -p /data/${settings.PARLEY_S3_BUCKET} `));
  const { ROOT_ACCESS_KEY, ROOT_SECRET_KEY, VGW_PORT, VGW_HEALTH } = service.environment!;
  assert.equal(ROOT_ACCESS_KEY, settings.PARLEY_S3_ACCESS_KEY_ID);
  assert.equal(ROOT_SECRET_KEY, settings.PARLEY_S3_SECRET_ACCESS_KEY);
  assert.equal(settings.PARLEY_S3_ENDPOINT, `http://objects${VGW_PORT}`);
  assert.equal(service.healthcheck!.test!.at(-1), `http://127.0.0.1${VGW_PORT}${VGW_HEALTH}`);
  // Its health address answers GET only; --spider sends HEAD.
  assert.ok(!service.healthcheck!.test!.includes('--spider'));
});

if (endpoint) storageConformance('of the Compose file', storage);

test('F7: the object store refuses another secret', { skip: missing }, async () => {
  await assert.rejects(storage({ secret_access_key: 'another' }).check());
});
