// What every stt engine keeps: registers the same tests for any vendor.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { frame_samples } from '../media/media-session.ts';
import type { Stt, SttSession } from './stt.ts';

/** Two turns of speech, and words that their texts must contain. */
export type SpokenTurns = { first: Spoken; second: Spoken };
export type Spoken = { pcm: Int16Array; words: RegExp };

export function sttConformance(vendor: string, open: () => Promise<{ stt: Stt; turns: SpokenTurns }>): void {
  const promise = (sentence: string, check: (stt: Stt, turns: SpokenTurns) => Promise<void>) =>
    test(`${vendor}: ${sentence}`, async () => {
      const { stt, turns } = await open();
      await check(stt, turns);
    });
  const say = (session: SttSession, { pcm }: Spoken) => {
    for (let at = 0; at < pcm.length; at += frame_samples) session.push(pcm.subarray(at, at + frame_samples));
  };

  promise('many calls that begin at once find it ready', async (stt) => {
    await Promise.all(Array.from({ length: 300 }, () => stt.ready()));
  });

  promise('the words of a turn come out as text', async (stt, { first }) => {
    const session = stt.open({ language: 'en' });
    say(session, first);
    assert.match(await session.text(), first.words);
    session.close();
  });

  promise('asked twice without more speech, it says the same', async (stt, { first }) => {
    const session = stt.open({ language: 'en' });
    say(session, first);
    const text = await session.text();
    assert.equal(await session.text(), text);
    session.close();
  });

  promise('the next turn starts empty', async (stt, { first, second }) => {
    const session = stt.open({ language: 'en' });
    say(session, first);
    await session.text();
    session.nextTurn();
    assert.equal(await session.text(), '');
    say(session, second);
    const text = await session.text();
    assert.match(text, second.words);
    assert.doesNotMatch(text, first.words);
    session.close();
  });

  promise('a frame that is reused after it was pushed changes nothing', async (stt, { first }) => {
    const session = stt.open({ language: 'en' });
    const frame = new Int16Array(frame_samples);
    for (let at = 0; at + frame_samples <= first.pcm.length; at += frame_samples) {
      frame.set(first.pcm.subarray(at, at + frame_samples));
      session.push(frame);
    }
    frame.fill(0);
    assert.match(await session.text(), first.words);
    session.close();
  });

  promise('two calls at once do not mix', async (stt, { first, second }) => {
    const [one, other] = [stt.open({ language: 'en' }), stt.open({ language: 'en' })];
    say(one, first);
    say(other, second);
    const [one_text, other_text] = await Promise.all([one.text(), other.text()]);
    assert.match(one_text, first.words);
    assert.match(other_text, second.words);
    one.close();
    other.close();
  });

  promise('a closed session keeps nobody waiting', async (stt, { first }) => {
    const session = stt.open({ language: 'en' });
    say(session, first);
    const text = session.text().catch(() => '');
    session.close();
    await text;
  });
}
