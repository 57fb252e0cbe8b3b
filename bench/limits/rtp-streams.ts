// Many RTP streams in one process: either our sessions, or bare sockets on a bare timer, which are the limit.
import { createSocket, type Socket } from 'node:dgram';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { rtpPorts } from '../../packages/server/src/providers/carrier/sip/rtp/ports.ts';
import { raisePriority } from '../../packages/server/src/providers/carrier/sip/rtp/priority.ts';
import { rtpSession, rtpWheel } from '../../packages/server/src/providers/carrier/sip/rtp/session.ts';
import { answerQuestions } from '../side-process.ts';

export type RtpStreams = {
  kind: 'sessions' | 'bare';
  /** Each sends and receives 50 packets a second, in pairs that send to each other. */
  calls: number;
  duration_ms: number;
  /** Also measures memory. Not together with speed: garbage collection discards optimized code. */
  weigh?: true;
};
export type RtpStreamsResult = {
  late_p99_ms: number;
  sent: number;
  received: number;
  cpu_us: number;
  seconds: number;
  /** Heap and buffers after garbage collection: live memory of the streams. */
  held_bytes: number;
};

const slots = 20;
const warm_up_ms = 600;

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

function heldBytes(): number {
  collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

type Lateness = { add(late_ms: number): void; p99_ms(): number; reset(): void };

/** A histogram in steps of 0.1 ms: an array of all values would itself cost time. */
function lateness(): Lateness {
  const steps = new Uint32Array(2001);
  let count = 0;
  return {
    add(late_ms) {
      steps[Math.min(2000, Math.max(0, Math.round(late_ms * 10)))]!++;
      count++;
    },
    p99_ms() {
      let step = 0;
      for (let passed = steps[0]!; passed < count * 0.99 && step < 2000; passed += steps[step]!) step++;
      return step / 10;
    },
    reset() {
      steps.fill(0);
      count = 0;
    },
  };
}

const bound = (): Promise<Socket> => {
  const socket = createSocket({
    type: 'udp4',
    lookup: ((address: string, _: unknown, done: (error: null, address: string, family: number) => void) =>
      done(null, address, 4)) as never,
  });
  return new Promise((resolve) => socket.bind(0, '127.0.0.1', () => resolve(socket)));
};

type Streams = { counts(): { sent: number; received: number }; stop(): void };

/** The minimum that moves the same packets at the same times. */
async function bareStreams(calls: number, late: Lateness): Promise<Streams> {
  const sockets = await Promise.all(Array.from({ length: calls }, bound));
  let sent = 0;
  let received = 0;
  for (const [index, socket] of sockets.entries()) {
    socket.on('message', () => received++);
    socket.connect(sockets[index ^ 1]!.address().port, '127.0.0.1');
  }
  let due_ms = Math.ceil(performance.now());
  let timer: NodeJS.Timeout;
  const turn = () => {
    const now = performance.now();
    while (due_ms <= now) {
      for (let index = due_ms % slots; index < calls; index += slots) {
        late.add(performance.now() - due_ms);
        const packet = Buffer.allocUnsafe(172);
        packet.writeUInt16BE(sent++ & 0xffff, 2);
        sockets[index]!.send(packet);
      }
      due_ms++;
    }
    timer = setTimeout(turn, Math.max(1, due_ms - performance.now()));
  };
  timer = setTimeout(turn, 1);
  return {
    counts: () => ({ sent, received }),
    stop() {
      clearTimeout(timer);
      for (const socket of sockets) socket.close();
    },
  };
}

const second_of_speech = Int16Array.from({ length: 8000 }, (_, index) => 6000 * Math.sin(index / 5));

/** As in a call: audio is decoded and delivered, and speech is queued one second at a time. */
async function sessionStreams(calls: number, late: Lateness): Promise<Streams> {
  const ports = rtpPorts({ host: '127.0.0.1', range: null });
  const sockets = await Promise.all(Array.from({ length: calls }, async () => (await ports.open())!));
  const clock = rtpWheel(late.add);
  const peer_ports = sockets.map((_, index) => sockets[index ^ 1]!.address().port);
  let loudest = 0;
  const sessions = sockets.map((socket, index) => {
    const session = rtpSession({
      wheel: clock,
      socket,
      target: {
        address: '127.0.0.1',
        port: peer_ports[index]!,
        codec: 'PCMU',
        payload_type: 0,
        digits_payload_type: 101,
        held: false,
      },
      inactivity_timeout_ms: 60_000,
    });
    session.onFrame((pcm) => {
      loudest = Math.max(loudest, pcm[0]!);
    });
    const speak = (): void => {
      session.write(second_of_speech);
      void session.mark().then((how) => {
        if (how === 'played') speak();
      });
    };
    speak();
    return session;
  });
  return {
    counts: () =>
      sessions.reduce(
        (sum, session) => {
          const { packets_sent, packets_received } = session.stats();
          return { sent: sum.sent + packets_sent, received: sum.received + packets_received };
        },
        { sent: 0, received: 0 },
      ),
    stop() {
      if (loudest === 0) throw new Error('no audio was received');
      for (const session of sessions) session.close();
      clock.stop();
    },
  };
}

// As the service does; the same for limit and subject.
raisePriority(() => {});

answerQuestions<RtpStreams, RtpStreamsResult>(async ({ kind, calls, duration_ms, weigh }) => {
  const late = lateness();
  const streams = await (kind === 'bare' ? bareStreams : sessionStreams)(calls + (calls % 2), late);
  const pass = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
  // Garbage of the previous calls would otherwise be collected during the measurement. The new ones exist already,
  // so that their optimized code is not discarded.
  collectGarbage();
  await pass(warm_up_ms);
  late.reset();
  const [before, cpu_before, start] = [streams.counts(), process.cpuUsage(), performance.now()];
  await pass(duration_ms);
  const [after, cpu, end] = [streams.counts(), process.cpuUsage(cpu_before), performance.now()];
  const held_bytes = weigh ? heldBytes() : 0;
  streams.stop();
  return {
    late_p99_ms: late.p99_ms(),
    sent: after.sent - before.sent,
    received: after.received - before.received,
    cpu_us: cpu.user + cpu.system,
    seconds: (end - start) / 1000,
    held_bytes,
  };
});
