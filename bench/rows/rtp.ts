// Call audio over RTP: calls that one core can pace, cost of a call among many, and memory.
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

/** Measures, and fails if packets were lost or not sent. */
async function probe(streams: Streams, question: RtpStreams): Promise<RtpStreamsResult & { paced: boolean }> {
  const result = await streams.ask(question);
  const expected = question.calls * packets_a_second * result.seconds;
  const complete = result.sent > expected * 0.97 && result.received > expected * 0.97;
  return { ...result, paced: complete && result.late_p99_ms <= most_late_ms };
}

/** The most processor time that the host may steal during a probe; above that, the delay is caused by the host. */
const most_stolen = 0.005;
const most_repeats = 8;

/** Repeats the probe while it fails because of stolen processor time. */
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
 * The largest number of calls that are paced well, to within an eighth. A number must fail twice, so that one
 * disturbance by the machine does not end the search early.
 */
async function capacity(streams: Streams, kind: RtpStreams['kind'], duration_ms: number): Promise<Sample> {
  // The first calls of a process run code that is not yet optimized, which is not the state of a running service.
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
  // On a busy machine not even ten may be paced well; the row is then noisy.
  return { value: Math.max(1, good), cpu_us_per_op };
}

export const rtpRows: Row[] = [
  {
    name: 'rtp-calls',
    subject: `RTP calls per core, p99 at most ${most_late_ms} ms late`,
    limit: 'bare sockets on a bare timer',
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
      // Not compared with one call: a few calls pay for every wake-up of the process alone, so the ratio would always be low.
      return { limit: cost(100), subject: cost(200) };
    },
  },
  {
    name: 'rtp-memory',
    subject: 'memory of an RTP session, 500 compared with 20',
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
