// Signing in threads: every text gets the signature of its own key, also in batches.
import assert from 'node:assert/strict';
import { generateKeyPairSync, verify } from 'node:crypto';
import { after, test } from 'node:test';
import { signer } from './signer.ts';

const { sign, close } = signer();
after(close);
const rsa = () => generateKeyPairSync('rsa', { modulusLength: 2048 });
const holds = (text: string, signature: string, key: ReturnType<typeof rsa>['publicKey']) =>
  verify('RSA-SHA256', Buffer.from(text, 'latin1'), key, Buffer.from(signature, 'base64'));

test('texts with different keys in one batch are each signed with their own key', async () => {
  const keys = [rsa(), rsa()];
  const texts = Array.from({ length: 60 }, (_, at) => `to:reader${at}@example.org\xe9`);
  const signatures = await Promise.all(texts.map((text, at) => sign(text, keys[at % 2]!.privateKey)));
  for (const [at, text] of texts.entries()) {
    assert.ok(holds(text, signatures[at]!, keys[at % 2]!.publicKey), text);
    assert.ok(!holds(text, signatures[at]!, keys[(at + 1) % 2]!.publicKey), text);
  }
});

test('a key that cannot sign fails only its own text', async () => {
  const good = rsa();
  const wrong = generateKeyPairSync('ed25519').privateKey;
  const [first, second, third] = await Promise.allSettled([
    sign('first', good.privateKey),
    sign('second', wrong),
    sign('third', good.privateKey),
  ]);
  assert.equal(second.status, 'rejected');
  for (const [text, result] of [
    ['first', first],
    ['third', third],
  ] as const) {
    assert.ok(result.status === 'fulfilled' && holds(text, result.value, good.publicKey), text);
  }
});

test('a single text is signed like a batch', async () => {
  const { privateKey, publicKey } = rsa();
  assert.ok(holds('alone', await sign('alone', privateKey), publicKey));
});

test('when the threads are closed, each text is signed alone', async () => {
  const other = signer();
  await other.close();
  const { privateKey, publicKey } = rsa();
  const texts = ['one', 'two', 'three'];
  const signatures = await Promise.all(texts.map((text) => other.sign(text, privateKey)));
  for (const [at, text] of texts.entries()) assert.ok(holds(text, signatures[at]!, publicKey), text);
});
