// What every tts engine keeps: registers the same tests for any vendor.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { joinPcm } from '../../protocols/audio/join-pcm.ts';
import { msOf } from '../media/media-session.ts';
import type { Tts } from './tts.ts';

export async function spoken(tts: Tts, text: string, voice: string | null = null): Promise<Int16Array> {
  const pieces: Int16Array[] = [];
  const { signal } = new AbortController();
  for await (const piece of tts.speak({ text, voice, language: 'en', signal })) pieces.push(piece);
  return joinPcm(pieces);
}

export function ttsConformance(vendor: string, open: () => Promise<Tts>): void {
  const promise = (sentence: string, check: (tts: Tts) => Promise<void>) =>
    test(`${vendor}: ${sentence}`, async () => check(await open()));

  promise('many calls that begin at once find it ready', async (tts) => {
    await Promise.all(Array.from({ length: 300 }, () => tts.ready()));
  });

  promise('a sentence becomes sound of a likely length at the rate of the line', async (tts) => {
    const sound = await spoken(tts, 'Good morning, how can I help you?');
    assert.ok(msOf(sound.length) > 800 && msOf(sound.length) < 5000, `${msOf(sound.length)} ms`);
    assert.ok(Math.max(...sound) > 2000, 'too quiet to be speech');
  });

  promise('nothing to say is no sound', async (tts) => {
    assert.equal((await spoken(tts, '  ')).length, 0);
  });

  promise('a voice it does not know is replaced, not refused', async (tts) => {
    assert.ok((await spoken(tts, 'Good morning.', 'nobody')).length > 0);
  });

  promise('what is no longer wanted ends at once', async (tts) => {
    const unwanted = new AbortController();
    const pieces = tts.speak({ text: 'A long story.', voice: null, language: 'en', signal: unwanted.signal });
    unwanted.abort(new Error('interrupted'));
    await assert.rejects(async () => {
      for await (const _ of pieces);
    }, /interrupted/);
  });
}
