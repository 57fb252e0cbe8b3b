// Conformance suite of the TTS port: registers the same tests for every vendor.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { joinPcm } from '../../protocols/audio/join-pcm.ts';
import { msOf } from '../media/media-session.ts';
import type { Tts } from './tts.ts';

export async function spoken(tts: Tts, text: string, voice: string | null = null): Promise<Int16Array> {
  const chunks: Int16Array[] = [];
  const { signal } = new AbortController();
  for await (const chunk of tts.speak({ text, voice, language: 'en', signal })) chunks.push(chunk);
  return joinPcm(chunks);
}

export function ttsConformance(vendor: string, open: () => Promise<Tts>): void {
  const check = (promise: string, run: (tts: Tts) => Promise<void>) =>
    test(`${vendor}: ${promise}`, async () => run(await open()));

  check('`ready` works for many concurrent calls', async (tts) => {
    await Promise.all(Array.from({ length: 300 }, () => tts.ready()));
  });

  check('a sentence becomes 8 kHz audio of a plausible length', async (tts) => {
    const sound = await spoken(tts, 'Good morning, how can I help you?');
    assert.ok(msOf(sound.length) > 800 && msOf(sound.length) < 5000, `${msOf(sound.length)} ms`);
    assert.ok(Math.max(...sound) > 2000, 'too quiet to be speech');
  });

  check('an empty text gives no audio', async (tts) => {
    assert.equal((await spoken(tts, '  ')).length, 0);
  });

  check('an unknown voice is replaced by the default voice', async (tts) => {
    assert.ok((await spoken(tts, 'Good morning.', 'nobody')).length > 0);
  });

  check('aborted speech ends immediately', async (tts) => {
    const aborted = new AbortController();
    const chunks = tts.speak({ text: 'A long story.', voice: null, language: 'en', signal: aborted.signal });
    aborted.abort(new Error('interrupted'));
    await assert.rejects(async () => {
      for await (const _ of chunks);
    }, /interrupted/);
  });
}
