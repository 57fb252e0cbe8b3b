// Conformance suite of the VAD port: registers the same tests for every vendor.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { samplesOf } from '../media/media-session.ts';
import type { Vad, VadSession } from './vad.ts';

export function vadConformance(vendor: string, open: () => Promise<{ vad: Vad; speech: Int16Array }>): void {
  const check = (promise: string, run: (vad: Vad, speech: Int16Array) => Promise<void>) =>
    test(`${vendor}: ${promise}`, async () => {
      const { vad, speech } = await open();
      await run(vad, speech);
    });
  const judgeAll = async (vad: Vad, session: VadSession, pcm: Int16Array): Promise<number[]> => {
    const { window_samples } = vad.capabilities;
    const judged: number[] = [];
    for (let at = 0; at + window_samples <= pcm.length; at += window_samples) {
      judged.push(await session.judge(pcm.slice(at, at + window_samples)));
    }
    return judged;
  };
  const share = (judged: number[]) =>
    judged.filter((probability) => probability >= 0.5).length / judged.length;

  check('`ready` works for many concurrent calls', async (vad) => {
    await Promise.all(Array.from({ length: 300 }, () => vad.ready()));
  });

  check('speech is detected', async (vad, speech) => {
    assert.ok(share(await judgeAll(vad, vad.open(), speech)) > 0.7);
  });

  check('silence is not speech, not even right after speech', async (vad, speech) => {
    const session = vad.open();
    await judgeAll(vad, session, speech);
    const judged = await judgeAll(vad, session, new Int16Array(samplesOf(1500)));
    assert.ok(share(judged.slice(8)) === 0);
  });

  check('noise and clicks are not speech', async (vad) => {
    let seed = 1;
    const noise = Int16Array.from({ length: samplesOf(2000) }, (_, i) => {
      seed = (seed * 16_807) % 2_147_483_647;
      const click = i % samplesOf(400) < 20 ? 12_000 : 0;
      return ((seed % 400) - 200) * 2 + (seed % 2 ? click : -click);
    });
    assert.ok(share(await judgeAll(vad, vad.open(), noise)) < 0.1);
  });

  check('windows that come before the answers to earlier ones are judged the same', async (vad, speech) => {
    const alone = await judgeAll(vad, vad.open(), speech);
    const { window_samples } = vad.capabilities;
    const session = vad.open();
    const at_once = await Promise.all(
      alone.map((_, i) => session.judge(speech.slice(i * window_samples, (i + 1) * window_samples))),
    );
    assert.ok(at_once.every((probability, i) => Math.abs(probability - alone[i]!) < 0.01));
  });

  check('concurrent calls do not influence each other', async (vad, speech) => {
    const alone = await judgeAll(vad, vad.open(), speech);
    const silence = new Int16Array(speech.length).fill(20);
    const together = await Promise.all(
      Array.from({ length: 8 }, (_, i) => judgeAll(vad, vad.open(), i % 2 ? speech : silence)),
    );
    together.forEach((judged, i) => {
      if (i % 2 === 0) assert.equal(share(judged), 0);
      else assert.ok(judged.every((probability, at) => Math.abs(probability - alone[at]!) < 0.01));
    });
  });
}
