// Conformance suite of the STT port: registers the same tests for every vendor.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { frame_samples } from '../media/media-session.ts';
import type { Stt, SttSession } from './stt.ts';

/** Two turns of speech, and a pattern that the text of each must match. */
export type SpokenTurns = { first: Spoken; second: Spoken };
export type Spoken = { pcm: Int16Array; text: RegExp };

export function sttConformance(vendor: string, open: () => Promise<{ stt: Stt; turns: SpokenTurns }>): void {
  const check = (promise: string, run: (stt: Stt, turns: SpokenTurns) => Promise<void>) =>
    test(`${vendor}: ${promise}`, async () => {
      const { stt, turns } = await open();
      await run(stt, turns);
    });
  const say = (session: SttSession, { pcm }: Spoken) => {
    for (let at = 0; at < pcm.length; at += frame_samples) session.push(pcm.subarray(at, at + frame_samples));
  };

  check('`ready` works for many concurrent calls', async (stt) => {
    await Promise.all(Array.from({ length: 300 }, () => stt.ready()));
  });

  check('the speech of a turn comes out as text', async (stt, { first }) => {
    const session = stt.open({ language: 'en' });
    say(session, first);
    assert.match(await session.text(), first.text);
    session.close();
  });

  check('two requests without new speech return the same text', async (stt, { first }) => {
    const session = stt.open({ language: 'en' });
    say(session, first);
    const text = await session.text();
    assert.equal(await session.text(), text);
    session.close();
  });

  check('the next turn starts empty', async (stt, { first, second }) => {
    const session = stt.open({ language: 'en' });
    say(session, first);
    await session.text();
    session.nextTurn();
    assert.equal(session.interim?.() ?? '', '');
    assert.equal(await session.text(), '');
    say(session, second);
    const text = await session.text();
    assert.match(text, second.text);
    assert.doesNotMatch(text, first.text);
    session.close();
  });

  check('reusing a frame buffer after `push` changes nothing', async (stt, { first }) => {
    const session = stt.open({ language: 'en' });
    const frame = new Int16Array(frame_samples);
    for (let at = 0; at + frame_samples <= first.pcm.length; at += frame_samples) {
      frame.set(first.pcm.subarray(at, at + frame_samples));
      session.push(frame);
    }
    frame.fill(0);
    assert.match(await session.text(), first.text);
    session.close();
  });

  check('concurrent calls do not mix', async (stt, { first, second }) => {
    const [one, other] = [stt.open({ language: 'en' }), stt.open({ language: 'en' })];
    say(one, first);
    say(other, second);
    const [one_text, other_text] = await Promise.all([one.text(), other.text()]);
    assert.match(one_text, first.text);
    assert.match(other_text, second.text);
    one.close();
    other.close();
  });

  check('closing a session settles the pending text', async (stt, { first }) => {
    const session = stt.open({ language: 'en' });
    say(session, first);
    const text = session.text().catch(() => '');
    session.close();
    await text;
  });
}
