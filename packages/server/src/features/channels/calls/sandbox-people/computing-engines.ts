// Wraps a sandbox person's speech engines to report while they compute, so that a slow machine does not count as silence.
import type { Stt, SttSession } from '../../../../providers/stt/stt.ts';
import type { Tts } from '../../../../providers/tts/tts.ts';

type Engines = { stt: Stt; tts: Tts };

/** `report` gets true when work starts and false when no work is left. */
export function computingEngines(engines: Engines, report: (is_computing: boolean) => void): Engines {
  let pending = 0;
  const during = async <T>(work: Promise<T>): Promise<T> => {
    if (++pending === 1) report(true);
    try {
      return await work;
    } finally {
      if (--pending === 0) report(false);
    }
  };
  const { stt, tts } = engines;
  return {
    stt: {
      ...stt,
      open(options): SttSession {
        const session = stt.open(options);
        return { ...session, text: () => during(session.text()) };
      },
    },
    tts: {
      ...tts,
      async *speak(request) {
        const pieces = tts.speak(request)[Symbol.asyncIterator]();
        try {
          while (true) {
            const next = await during(pieces.next());
            if (next.done) return;
            yield next.value;
          }
        } finally {
          await pieces.return?.();
        }
      },
    },
  };
}
