// Conformance suite of the media port: registers the same tests for every kind of line.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { frame_samples, type MediaSession, samplesOf } from './media-session.ts';

/** The other party's end of the line, driven by the test. */
export type FarEnd = {
  say(pcm: Int16Array): void;
  press(digit: string): void;
  /** The loudest sample of each frame the other party received so far, silent frames included. */
  levels(): number[];
  digits(): string;
  hangUp(): void;
};

export type Line = {
  session: MediaSession;
  far: FarEnd;
  /** Lets time pass on the clock of the line. */
  pass(ms: number): Promise<void>;
  done(): Promise<void>;
};

const tone = (ms: number, level = 8000) =>
  Int16Array.from({ length: samplesOf(ms) }, (_, i) => Math.round(level * Math.sin(i / 3)));
const loudFrames = (levels: number[]) => levels.filter((level) => level > 1000).length;

/** `path_ms`: how long audio takes through programs between the session and the other party. */
export function mediaSessionConformance(kind: string, open: () => Promise<Line>, path_ms = 0): void {
  /** Frames. Codecs and buffers on the way stretch the start and the end of a sound. */
  const smear = path_ms === 0 ? 2 : 6;
  const check = (promise: string, run: (line: Line) => Promise<void>) =>
    test(`${kind}: ${promise}`, async () => {
      const opened = await open();
      const line = { ...opened, pass: (ms: number) => opened.pass(ms + path_ms) };
      try {
        await run(line);
      } finally {
        line.session.close();
        await line.done();
      }
    });

  check('frames arrive all the time, also while the other party is silent', async ({ session, pass }) => {
    const lengths: number[] = [];
    session.onFrame((pcm) => lengths.push(pcm.length));
    await pass(400);
    assert.ok(lengths.length >= 15, `${lengths.length} frames in 400 ms`);
    assert.ok(lengths.every((length) => length === frame_samples));
  });

  check('the speech of the other party arrives', async ({ session, far, pass }) => {
    let loud = 0;
    session.onFrame((pcm) => {
      if (Math.max(...pcm) > 4000) loud++;
    });
    far.say(tone(200));
    await pass(600);
    assert.ok(loud >= 8 && loud <= 13, `${loud} loud frames of 10`);
  });

  check('speech from before the first listener is buffered for it', async ({ session, far, pass }) => {
    far.say(tone(200));
    await pass(600);
    let loud = 0;
    session.onFrame((pcm) => {
      if (Math.max(...pcm) > 4000) loud++;
    });
    assert.ok(loud >= 8 && loud <= 13, `${loud} loud frames of 10`);
  });

  check('written audio is played in real time and counted', async ({ session, far, pass }) => {
    session.write(tone(1000));
    await pass(400);
    const [played_early, loud_early] = [session.played_ms(), loudFrames(far.levels())];
    assert.ok(played_early > 100 && played_early < 800, `${played_early} ms played after 400`);
    assert.ok(loud_early > 5 && loud_early < 45, `${loud_early} frames received after 400 ms`);
    await pass(1200);
    assert.equal(Math.round(session.played_ms()), 1000);
    const loud = loudFrames(far.levels());
    assert.ok(loud >= 50 - smear && loud <= 50 + smear, `${loud} frames received of 50`);
  });

  check('a mark settles when all audio before it has been played', async ({ session, pass }) => {
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

  check('a mark without audio before it settles immediately', async ({ session }) => {
    assert.equal(await session.mark(), 'played');
  });

  check(`clear makes the line silent within ${100 + path_ms} ms`, async ({ session, far, pass }) => {
    session.write(tone(2000));
    const mark = session.mark();
    await pass(300);
    session.clear();
    const played_ms = session.played_ms();
    await pass(100);
    const loud = loudFrames(far.levels());
    await pass(600);
    assert.equal(loudFrames(far.levels()), loud, 'audio after the line should have been silent');
    assert.equal(await mark, 'cleared');
    assert.ok(Math.abs(session.played_ms() - played_ms) <= 100);
  });

  check('audio can be played again after a clear', async ({ session, far, pass }) => {
    session.write(tone(500));
    session.clear();
    await pass(200);
    const before = loudFrames(far.levels());
    session.write(tone(200));
    await pass(600);
    const loud = loudFrames(far.levels()) - before;
    assert.ok(loud >= 10 - smear && loud <= 10 + smear, `${loud} frames received of 10`);
  });

  check('every played frame is reported for the recording', async ({ session, pass }) => {
    let frames = 0;
    session.onPlayed(() => frames++);
    session.write(tone(200));
    await pass(600);
    assert.equal(frames, 10);
  });

  check('digits arrive in both directions', async ({ session, far, pass }) => {
    const received: string[] = [];
    session.onDigit((digit) => received.push(digit));
    far.press('7');
    far.press('#');
    await session.sendDigits('12*');
    await pass(1000);
    assert.deepEqual(received, ['7', '#']);
    assert.equal(far.digits(), '12*');
  });

  check('a hang-up of the other party closes the session', async ({ session, far, pass }) => {
    session.write(tone(500));
    const mark = session.mark();
    far.hangUp();
    await pass(100);
    assert.deepEqual(await session.closed, { by: 'them' });
    assert.equal(await mark, 'cleared');
  });

  check('closing ends the session, and a second close is a no-op', async ({ session, pass }) => {
    session.close();
    session.close();
    session.write(tone(100));
    await pass(100);
    assert.deepEqual(await session.closed, { by: 'us' });
    assert.equal(await session.mark(), 'cleared');
  });
}
