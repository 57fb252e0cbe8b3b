// What every media session keeps: registers the same tests for any kind of line.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { frame_samples, type MediaSession, samplesOf } from './media-session.ts';

/** The other party's end of the line, as the test drives it. */
export type FarEnd = {
  say(pcm: Int16Array): void;
  press(digit: string): void;
  /** The loudest sample of each frame they heard so far, silent frames included. */
  heard(): number[];
  digits(): string;
  hangUp(): void;
};

export type Line = {
  session: MediaSession;
  far: FarEnd;
  /** Lets time pass, on whatever clock the line runs. */
  pass(ms: number): Promise<void>;
  done(): Promise<void>;
};

const tone = (ms: number, level = 8000) =>
  Int16Array.from({ length: samplesOf(ms) }, (_, i) => Math.round(level * Math.sin(i / 3)));
const loudFrames = (levels: number[]) => levels.filter((level) => level > 1000).length;

export function mediaSessionConformance(kind: string, open: () => Promise<Line>): void {
  const promise = (sentence: string, check: (line: Line) => Promise<void>) =>
    test(`${kind}: ${sentence}`, async () => {
      const line = await open();
      try {
        await check(line);
      } finally {
        line.session.close();
        await line.done();
      }
    });

  promise('frames come all the time, also while nobody speaks', async ({ session, pass }) => {
    const lengths: number[] = [];
    session.onFrame((pcm) => lengths.push(pcm.length));
    await pass(400);
    assert.ok(lengths.length >= 15, `${lengths.length} frames in 400 ms`);
    assert.ok(lengths.every((length) => length === frame_samples));
  });

  promise('what the other party says is heard', async ({ session, far, pass }) => {
    let loud = 0;
    session.onFrame((pcm) => {
      if (Math.max(...pcm) > 4000) loud++;
    });
    far.say(tone(200));
    await pass(600);
    assert.ok(loud >= 8 && loud <= 13, `${loud} loud frames of 10`);
  });

  promise(
    'what is said before anybody listens is kept for the first who does',
    async ({ session, far, pass }) => {
      far.say(tone(200));
      await pass(600);
      let loud = 0;
      session.onFrame((pcm) => {
        if (Math.max(...pcm) > 4000) loud++;
      });
      assert.ok(loud >= 8 && loud <= 13, `${loud} loud frames of 10`);
    },
  );

  promise('what is written goes out in real time and is counted', async ({ session, far, pass }) => {
    session.write(tone(1000));
    await pass(400);
    const [played_early, loud_early] = [session.played_ms(), loudFrames(far.heard())];
    assert.ok(played_early > 100 && played_early < 800, `${played_early} ms played after 400`);
    assert.ok(loud_early > 5 && loud_early < 45, `${loud_early} frames heard after 400 ms`);
    await pass(1200);
    assert.equal(Math.round(session.played_ms()), 1000);
    const loud = loudFrames(far.heard());
    assert.ok(loud >= 48 && loud <= 52, `${loud} frames heard of 50`);
  });

  promise('a mark settles when all before it has been heard', async ({ session, pass }) => {
    let settled: string | null = null;
    session.write(tone(300));
    void session.mark().then((how) => {
      settled = how;
    });
    await pass(100);
    assert.equal(settled, null);
    await pass(800);
    assert.equal(settled, 'played');
  });

  promise('a mark after nothing settles at once', async ({ session }) => {
    assert.equal(await session.mark(), 'played');
  });

  promise('clear makes the line silent within 100 ms', async ({ session, far, pass }) => {
    session.write(tone(2000));
    const mark = session.mark();
    await pass(300);
    session.clear();
    const played_ms = session.played_ms();
    await pass(100);
    const loud = loudFrames(far.heard());
    await pass(600);
    assert.equal(loudFrames(far.heard()), loud, 'sound after the line should have been silent');
    assert.equal(await mark, 'cleared');
    assert.ok(Math.abs(session.played_ms() - played_ms) <= 100);
  });

  promise('after a clear the line can be spoken on again', async ({ session, far, pass }) => {
    session.write(tone(500));
    session.clear();
    await pass(200);
    const before = loudFrames(far.heard());
    session.write(tone(200));
    await pass(600);
    const loud = loudFrames(far.heard()) - before;
    assert.ok(loud >= 8 && loud <= 12, `${loud} frames heard of 10`);
  });

  promise('every frame that goes out can be recorded', async ({ session, pass }) => {
    let frames = 0;
    session.onPlayed(() => frames++);
    session.write(tone(200));
    await pass(600);
    assert.equal(frames, 10);
  });

  promise('keys are heard in both directions', async ({ session, far, pass }) => {
    const heard: string[] = [];
    session.onDigit((digit) => heard.push(digit));
    far.press('7');
    far.press('#');
    await session.sendDigits('12*');
    await pass(1000);
    assert.deepEqual(heard, ['7', '#']);
    assert.equal(far.digits(), '12*');
  });

  promise('the other party can hang up', async ({ session, far, pass }) => {
    session.write(tone(500));
    const mark = session.mark();
    far.hangUp();
    await pass(100);
    assert.deepEqual(await session.closed, { by: 'them' });
    assert.equal(await mark, 'cleared');
  });

  promise('closing ends it, and closing again changes nothing', async ({ session, pass }) => {
    session.close();
    session.close();
    session.write(tone(100));
    await pass(100);
    assert.deepEqual(await session.closed, { by: 'us' });
    assert.equal(await session.mark(), 'cleared');
  });
}
