// Guessing passwords from many places does not keep the owner out who proves the mailbox.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { startTestApp } from '../../../../../testing/app.ts';
import { mailTo, password, signUp, visitor } from '../../../../../testing/visitor.ts';

const app = await startTestApp({
  PARLEY_MANAGED: 'on',
  PARLEY_SIGN_UP: 'open',
  PARLEY_TRUSTED_PROXIES: '127.0.0.1',
});

const from = (ip: string) => {
  const browser = visitor(app.url);
  const send = (path: string, fields: Record<string, string>) =>
    browser.send(path, fields, { 'x-forwarded-for': ip });
  return { ...browser, send };
};
const guessFromManyPlaces = async (email: string, round: number) => {
  const answers = await Promise.all(
    Array.from({ length: 30 }, (_, index) =>
      from(`203.0.${round}.${index}`).send('/auth/sign-in', { email, password: 'a wrong password' }),
    ),
  );
  return answers.map(({ status }) => status);
};

test('U13: wrong passwords from many places never keep the owner out who proves the mailbox', async () => {
  const email = `${randomUUID()}@example.com`;
  await signUp(app, { email });
  const stopped = await guessFromManyPlaces(email, 1);
  assert.ok(stopped.includes(429), 'guesses from unknown places are stopped');

  // From a place where the account was never used, also the right password must wait.
  const owner = from('198.51.100.7');
  assert.equal((await owner.send('/auth/sign-in', { email, password })).status, 429);
  // The attacker asks for links too. They arrive at the owner, who uses the newest one.
  for (let index = 0; index < 12; index++)
    await from(`203.0.113.${index}`).send('/auth/passwords/forgot', { email });
  await owner.send('/auth/passwords/forgot', { email });
  const { text } = await mailTo(app, email, (mail) => /\/auth\/passwords\/[\w-]{20,}/.test(mail.text));
  const link = /\/auth\/passwords\/[\w-]{20,}/.exec(text)![0];
  const chosen = 'a new and long password';
  assert.equal((await owner.send(link, { password: chosen })).status, 303);

  for (let round = 2; round < 5; round++) {
    await guessFromManyPlaces(email, round);
    assert.equal((await owner.send('/auth/sign-in', { email, password: chosen })).status, 303);
  }
});
