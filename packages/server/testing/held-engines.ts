// Real speech engines on a stepped clock: the clock stops while they compute, so results do not depend on the machine's speed.
import type { Stt } from '../src/providers/stt/stt.ts';
import type { Tts } from '../src/providers/tts/tts.ts';
import type { Vad } from '../src/providers/vad/vad.ts';
import type { SteppedClock } from './stepped-clock.ts';

export function heldEngines(clock: SteppedClock, engines: { vad: Vad; stt: Stt; tts: Tts }) {
  const { vad, stt, tts } = engines;
  return {
    vad: {
      ...vad,
      open() {
        const session = vad.open();
        return { ...session, judge: (window: Int16Array) => clock.holdFor(session.judge(window)) };
      },
    } satisfies Vad,
    stt: {
      ...stt,
      open(options: { language: string }) {
        const session = stt.open(options);
        return { ...session, text: () => clock.holdFor(session.text()) };
      },
    } satisfies Stt,
    tts: {
      ...tts,
      async *speak(request) {
        const pieces = tts.speak(request)[Symbol.asyncIterator]();
        while (true) {
          const next = await clock.holdFor(pieces.next());
          if (next.done) return;
          yield next.value;
        }
      },
    } satisfies Tts,
  };
}
