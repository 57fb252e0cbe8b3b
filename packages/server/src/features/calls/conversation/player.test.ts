// What is being said ends with the line, however much of it is still to come.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { realTimeClock } from '../../../providers/media/media-clock.ts';
import { type MediaEnd, type MediaSession, samplesOf } from '../../../providers/media/media-session.ts';
import type { Tts } from '../../../providers/tts/tts.ts';
import { mouth } from './player.ts';

/** A line on which nothing has been heard yet when it is closed. */
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

test('a speech that waits for room to go on ends when the line is closed', async () => {
  const { session, written } = silentLine();
  const tts = {
    async *speak() {
      yield new Int16Array(samplesOf(5000));
    },
  } as unknown as Tts;
  const speech = mouth({ session, tts, clock: realTimeClock(), voice: null, language: 'en' }).begin();
  speech.say('The first clause is longer than what is made ahead.');
  speech.say('The second one has to wait.');
  speech.finish();
  await written;
  session.close();
  await speech.done;
  assert.deepEqual(speech.heard(), { text: '', clauses: 0 });
});
