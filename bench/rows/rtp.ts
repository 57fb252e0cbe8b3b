// Audio of calls over RTP: how many a core paces well, whether a call costs the same among many, and its memory.
import { stolenTime_us } from '../cpu.ts';
import type { Row, Run, Sample, Scale } from '../harness.ts';
import type { RtpStreams, RtpStreamsResult } from '../limits/rtp-streams.ts';
import type { SideProcess } from '../side-process.ts';

const most_late_ms = 5;
const packets_a_second = 50;
const probe_ms: Record<Scale, number> = { quick: 700, normal: 1500, full: 4000 };

type Streams = SideProcess<RtpStreams, RtpStreamsResult>;

const start = (run: Run): Streams =>
  run.stage.startSide<RtpStreams, RtpStreamsResult>(new URL('../limits/rtp-streams.ts', import.meta.url));

/** Asks, and refuses figures that were bought with lost or missing packets. */
async function probe(streams: Streams, question: RtpStreams): Promise<RtpStreamsResult & { paced: boolean }> {
  const result = await streams.ask(question);
  const expected = question.calls * packets_a_second * result.seconds;
  const complete = result.sent > expected * 0.97 && result.received > expected * 0.97;
  return { ...result, paced: complete && result.late_p99_ms <= most_late_ms };
}

/** What the host may take of a processor while a probe lasts; above that it, and not the probe, was late. */
const most_stolen = 0.005;
const most_repeats = 8;

/** The same once more while it fails because the host took the processor away. */
async function undisturbedProbe(streams: Streams, question: RtpStreams) {
  for (let repeats = 0; ; repeats++) {
    const before_us = stolenTime_us();
    const result = await probe(streams, question);
    const after_us = stolenTime_us();
    if (result.paced || before_us === null || after_us === null || repeats === most_repeats) return result;
    if ((after_us - before_us) / (question.duration_ms * 1000) <= most_stolen) return result;
  }
}

/**
 * The most calls that are still paced, to within an eighth. A number of calls is given up only when it fails twice: one
 * moment that the machine took for itself would otherwise end the search early.
 */
async function capacity(streams: Streams, kind: RtpStreams['kind'], duration_ms: number): Promise<Sample> {
  // The first calls of a process are slow because their code is: no process of a service that runs is in that state.
  const is_warm = async () => (await undisturbedProbe(streams, { kind, calls: 200, duration_ms })).paced;
  for (let tries = 0; tries < 5 && !(await is_warm()); tries++);
  let good = 0;
  let bad = Number.POSITIVE_INFINITY;
  let cpu_us_per_op: number | null = null;
  for (let calls = 200; bad - good > good / 8 && calls >= 10 && calls <= 3000; ) {
    let result = await undisturbedProbe(streams, { kind, calls, duration_ms });
    if (!result.paced) result = await undisturbedProbe(streams, { kind, calls, duration_ms });
    if (result.paced) {
      good = calls;
      cpu_us_per_op = result.cpu_us / result.sent;
    } else {
      bad = calls;
    }
    calls = Math.round(
      bad === Number.POSITIVE_INFINITY ? calls * 1.5 : good === 0 ? calls / 2 : (good + bad) / 2,
    );
  }
  // On a machine that is busy with other things not even ten may be; the row is called noisy then.
  return { value: Math.max(1, good), cpu_us_per_op };
}

export const rtpRows: Row[] = [
  {
    name: 'rtp-calls',
    subject: `RTP calls a core, p99 at most ${most_late_ms} ms late`,
    limit: 'bare sockets on a bare clock',
    unit: 'calls',
    target: { comparison: '>=', ratio: 0.6 },
    rounds: { quick: 1, normal: 3, full: 5 },
    warm_up: false,
    async prepare(run) {
      const [limit, subject] = [start(run), start(run)];
      const duration_ms = probe_ms[run.scale];
      return {
        limit: () => capacity(limit, 'bare', duration_ms),
        subject: () => capacity(subject, 'sessions', duration_ms),
      };
    },
  },
  {
    name: 'rtp-growth',
    subject: 'processor time of an RTP call among 200',
    limit: 'of an RTP call among 100',
    unit: 'µs/s',
    target: { comparison: '<=', ratio: 1.2 },
    rounds: { quick: 1, normal: 3, full: 5 },
    async prepare(run) {
      const streams = start(run);
      const cost = (calls: number) => async (): Promise<Sample> => {
        const result = await probe(streams, {
          kind: 'sessions',
          calls,
          duration_ms: 2 * probe_ms[run.scale],
        });
        if (result.received < result.sent * 0.9) throw new Error('packets were lost');
        return {
          value: result.cpu_us / result.seconds / calls,
          cpu_us_per_op: result.cpu_us / result.sent,
        };
      };
      // Not against one alone: a few calls pay for every waking of the process by themselves, and whatever is held against
      // that has not grown.
      return { limit: cost(100), subject: cost(200) };
    },
  },
  {
    name: 'rtp-memory',
    subject: 'memory that an RTP session holds, 500 against 20',
    limit: '64 KiB',
    unit: 'bytes',
    target: { comparison: '<=', ratio: 1 },
    rounds: { quick: 1, normal: 3, full: 3 },
    warm_up: false,
    async prepare(run) {
      const [few, many] = [20, 500];
      return {
        limit: async () => ({ value: 65_536 }),
        async subject() {
          const streams = start(run);
          try {
            const ask = (calls: number) =>
              streams.ask({ kind: 'sessions', calls, duration_ms: probe_ms[run.scale], weigh: true });
            const before = await ask(few);
            const after = await ask(many);
            return { value: Math.max(1, (after.held_bytes - before.held_bytes) / (many - few)) };
          } finally {
            await streams.stop();
          }
        },
      };
    },
  },
];
