// Journey: the process is killed during the hand-over of an account mail; the next one sends it, and its code works (I2).
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createDatabase } from '../../packages/server/testing/database.ts';
import { password, visitor } from '../../packages/server/testing/visitor.ts';
import { startMailSink } from './mail-sink.ts';
import { makeHome, until } from './process.ts';

test('a kill while the code of a sign-up is mailed loses neither the mail nor the sign-up', async (t) => {
  const accepted: string[] = [];
  let is_stuck = true;
  let atData: () => void = () => {};
  const handed = new Promise<void>((resolve) => {
    atData = resolve;
  });
  const relay_url = await startMailSink(t, ({ raw, accept }) => {
    // The message gets no reply: the service is killed while it waits.
    if (is_stuck) return atData();
    accepted.push(raw);
    accept();
  });
  const database = await createDatabase();
  t.after(() => database.drop());
  const settings = {
    DATABASE_URL: database.url,
    PARLEY_SHARED_KEY: 'a-long-key-that-only-this-story-knows',
    PARLEY_AUTH_SECRET: 'a-secret-that-only-this-story-knows-00000',
    PARLEY_MASTER_KEY: Buffer.alloc(32, 7).toString('base64'),
    PARLEY_MANAGED: 'on',
    PARLEY_SIGN_UP: 'open',
    PARLEY_SMTP_URL: relay_url,
    PARLEY_EMAIL_TIMEOUT_SECONDS: '1',
  };
  const email = 'ana@example.com';
  const first = await makeHome(t).start(settings);
  const ana = visitor(first.url);
  assert.equal((await ana.send('/auth/sign-up', { name: 'Ana', email, password })).status, 303);
  await handed;
  await first.kill();
  is_stuck = false;

  const second = await makeHome(t).start(settings);
  await until(() => accepted.length > 0);
  const again = visitor(second.url);
  for (const [name, value] of ana.cookies) again.cookies.set(name, value);
  const code = /\d{4} \d{4}/.exec(accepted[0]!)![0];
  assert.equal((await again.send('/auth/sign-up/code', { code })).status, 303);
  assert.equal((await again.send('/auth/sign-in', { email, password })).status, 303);
  await second.stop('SIGTERM');
});
