// An operator turns on managed mode: what the first start creates, what later starts keep, and what is required with an own database.
import assert from 'node:assert/strict';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { createDatabase } from '../../packages/server/testing/database.ts';
import { signUp, visitor } from '../../packages/server/testing/visitor.ts';
import { makeHome, requester } from './process.ts';

const managed = { PARLEY_MANAGED: 'on', PARLEY_SANDBOX: 'on', PARLEY_SIGN_UP: 'open' };

test('the first start in managed mode creates a secret that later starts use, so that people stay signed in', async (t) => {
  const home = makeHome(t);
  const plain = await home.start();
  assert.equal((await visitor(plain.url).open('/auth/sign-in')).status, 404);
  assert.equal(existsSync(join(home.data_dir, 'auth-secret')), false);
  await plain.stop('SIGTERM');

  const first = await home.start(managed);
  const file = join(home.data_dir, 'auth-secret');
  const secret = readFileSync(file, 'utf8');
  assert.equal(statSync(file).mode & 0o777, 0o600);
  assert.ok(!first.output().includes(secret.trim()));
  const ana = await signUp(
    { url: first.url, client: first },
    { email: 'ana@example.com', organization: 'Sousa Trading' },
  );
  assert.match((await ana.open('/auth')).text, /Sousa Trading/);
  await first.stop('SIGTERM');

  const second = await home.start(managed);
  assert.equal(readFileSync(file, 'utf8'), secret);
  const again = visitor(second.url);
  for (const [name, value] of ana.cookies) again.cookies.set(name, value);
  assert.match((await again.open('/auth')).text, /Sousa Trading/);
  await second.stop('SIGTERM');
});

test('two processes on one database share accounts, sessions, signing keys and stored keys', async (t) => {
  const database = await createDatabase();
  t.after(() => database.drop());
  const settings = {
    ...managed,
    DATABASE_URL: database.url,
    PARLEY_SHARED_KEY: 'a-long-key-that-only-this-story-knows',
    PARLEY_AUTH_SECRET: 'a-secret-that-only-this-story-knows-00000',
    PARLEY_MASTER_KEY: Buffer.alloc(32, 7).toString('base64'),
  };
  const [one, two] = [await makeHome(t).start(settings), await makeHome(t).start(settings)];
  const email = 'ana@example.com';
  const here = await signUp({ url: one.url, client: one }, { email, organization: 'Sousa Trading' });
  const there = visitor(two.url);
  for (const [name, value] of here.cookies) there.cookies.set(name, value);
  assert.match((await there.open('/auth')).text, /Sousa Trading/);
  await here.send('/auth/sign-out', {});
  assert.equal((await there.open('/auth')).status, 303, 'signing out applies to every process');

  const listed = await requester(two.url, settings.PARLEY_SHARED_KEY)('GET', '/v1/admin/organizations');
  assert.match(JSON.stringify(listed.body), /Sousa Trading/);
  await Promise.all([one.stop('SIGTERM'), two.stop('SIGTERM')]);
});

test('with an own database the secret must be set, and a shared key need not be', async (t) => {
  const launched = makeHome(t).launch({ ...managed, DATABASE_URL: 'postgres://127.0.0.1:1/parley' });
  const { code } = await launched.exited;
  assert.equal(code, 1);
  assert.match(launched.output(), /give PARLEY_AUTH_SECRET what `openssl rand -base64 32` prints/);
});
