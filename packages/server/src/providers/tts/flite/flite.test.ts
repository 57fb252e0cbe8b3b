// flite passes the conformance suite of the TTS port; one instance for all tests, because loading takes long.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { spoken, ttsConformance } from '../conformance.ts';
import { fliteTts } from './index.ts';

const tts = fliteTts();
before(() => tts.ready());
after(() => tts.close());

ttsConformance('flite', async () => tts);

test('flite: voices differ', async () => {
  const [one, other] = await Promise.all([
    spoken(tts, 'Hello there.', 'kal16'),
    spoken(tts, 'Hello there.', 'rms'),
  ]);
  assert.notDeepEqual(one, other);
});

test('flite: shell syntax, options and markup in a text are only spoken', async () => {
  assert.ok((await spoken(tts, '-voice /etc/passwd\0 --help | rm `x` <ssml>')).length > 0);
});
