// An utterance ends when the line closes, however much of it is left.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { realTimeClock } from '../../../../../providers/media/media-clock.ts';
import { type MediaEnd, type MediaSession, samplesOf } from '../../../../../providers/media/media-session.ts';
import type { Tts } from '../../../../../providers/tts/tts.ts';
import { startUtterance } from './player.ts';

/** A line that closes before anything was played. */
function silentLine() {
  const closed = Promise.withResolvers<MediaEnd>();
  const written = Promise.withResolvers<void>();
  const session: MediaSession = {
    onFrame: () => {},
    onDigit: () => {},
    onPlayed: () => {},
    write: () => written.resolve(),
    mark: () => new Promise(() => {}),
    clear: () => {},
    played_ms: () => 0,
    sendDigits: async () => {},
    close: () => closed.resolve({ by: 'us' }),
    closed: closed.promise,
  };
  return { session, written: written.promise };
}

test('an utterance that waits for the line to play ends when the line closes', async () => {
  const { session, written } = silentLine();
  const tts = {
    async *speak() {
      yield new Int16Array(samplesOf(5000));
    },
  } as unknown as Tts;
  const utterance = startUtterance({ session, tts, clock: realTimeClock(), voice: null, language: 'en' });
  utterance.say('The first clause is longer than the sound produced ahead.');
  utterance.say('The second one has to wait.');
  utterance.finish();
  await written;
  session.close();
  await utterance.done;
  assert.deepEqual(utterance.heard(), { text: '', clauses: 0 });
});
