// Runs transferred calls and calls with a relay over in-memory lines in a separate process, and measures their delays.
import { setTimeout as sleep } from 'node:timers/promises';
import { type WebSocket, WebSocketServer } from 'ws';
import type { ConversationControl } from '../packages/server/src/features/channels/calls/conversation/control.ts';
import { openListener } from '../packages/server/src/features/channels/calls/conversation/listen/listener.ts';
import type { SpokenCall } from '../packages/server/src/features/channels/calls/conversation/spoken-call.ts';
import { default_timeouts } from '../packages/server/src/features/channels/calls/conversation/timeouts.ts';
import type { TransferPort } from '../packages/server/src/features/channels/calls/conversation/transfer/transfer-port.ts';
import {
  speakOnCall,
  type VoiceAgentDeps,
} from '../packages/server/src/features/channels/calls/conversation/voice-agent.ts';
import { systemClock } from '../packages/server/src/platform/clock.ts';
import { addressPolicy } from '../packages/server/src/platform/egress/address-policy.ts';
import { guardedAgent } from '../packages/server/src/platform/egress/guarded-agent.ts';
import { realTimeClock } from '../packages/server/src/providers/media/media-clock.ts';
import {
  frame_ms,
  frame_samples,
  type MediaSession,
} from '../packages/server/src/providers/media/media-session.ts';
import { memoryCall } from '../packages/server/src/providers/media/memory-session.ts';
import type { RelayLink } from '../packages/server/src/providers/relay/relay.ts';
import { soundConverter } from '../packages/server/src/providers/relay/twilio/convert-sound.ts';
import { connectRelay } from '../packages/server/src/providers/relay/twilio/index.ts';
import { coded_ms, codedStt, codedTts, codedVad, sayCoded } from '../packages/server/testing/coded-speech.ts';
import { answerQuestions } from './side-process.ts';

export type BridgeQuestion =
  /** From the arrival of a frame on the line of one party to its arrival at the other one. */
  | { measure: 'bridge_delay'; calls: number; seconds: number }
  /** Processor time per second of a bridged call, in microseconds. */
  | { measure: 'bridge_processor'; calls: number; seconds: number }
  /** The same for two lines that carry the same sound and are listened to, without a bridge. */
  | { measure: 'pair_processor'; calls: number; seconds: number }
  /** From the prompt for a relay, which answers at once, to the first frame on the line. */
  | { measure: 'relay_turns'; calls: number; turns: number };

const clock = realTimeClock();
const usual: SpokenCall = {
  direction: 'inbound',
  system_prompt: '',
  first_message: null,
  language: 'en',
  voice: null,
  model: null,
  ai_disclosure: false,
  max_duration_ms: 600_000,
};
const engines = () => ({
  vad: codedVad(),
  stt: codedStt(),
  tts: codedTts(),
  llm: {
    name: 'fixed reply',
    capabilities: { tools: true },
    async *reply() {
      yield { text: 'Yes.' };
    },
  },
});

function startCall(more: Partial<VoiceAgentDeps>, written: () => void = () => {}) {
  const { caller, callee } = memoryCall({ clock });
  const session: MediaSession = {
    ...caller,
    write(pcm) {
      written();
      caller.write(pcm);
    },
  };
  const hanging_up = new AbortController();
  const deps = { ...engines(), clock, emit() {}, ...more };
  const end = speakOnCall(deps, session, usual, hanging_up.signal);
  return {
    person: callee,
    async hangUp() {
      hanging_up.abort();
      await end;
    },
  };
}

/** Half a second of talk, in frames with different levels. */
const frames_of_talk = 25;
const lowest_level = 3000;
const talk = new Int16Array(frames_of_talk * frame_samples).map(
  (_, at) => lowest_level + Math.floor(at / frame_samples),
);
const talk_ms = frames_of_talk * frame_ms;
const isTalk = (level: number) => level >= lowest_level && level < lowest_level + frames_of_talk;

/** The parties speak in turns, with a short pause. `speak` is called with who speaks. */
async function takeTurns(seconds: number, speak: (turn: number) => void): Promise<number> {
  const turns = Math.round((seconds * 1000) / (talk_ms + 100));
  for (let turn = 0; turn < turns; turn++) {
    speak(turn);
    await sleep(talk_ms + 100);
  }
  return turns;
}

/** A call that was transferred to a colleague: both lines are connected. */
async function startBridged() {
  const second = memoryCall({ clock });
  const connected = Promise.withResolvers<void>();
  const step = async () => {};
  const transfers: TransferPort = {
    person: null,
    max_transfers: 1,
    destination: () => null,
    begin: async () => ({
      dial: async () => ({ outcome: 'answered', media: second.caller }),
      answered: step,
      connected: async () => connected.resolve(),
      failed: async (failure) => connected.reject(new Error(`not transferred: ${failure}`)),
      canceled: step,
      ended: step,
    }),
  };
  let control: ConversationControl | null = null;
  const call = startCall({
    transfers,
    opened(opened) {
      control = opened;
    },
  });
  const result = await control!.transfer({ principal: null, to: '+15005550211', mode: 'blind' });
  if (result.outcome !== 'done') throw new Error(`not transferred: ${JSON.stringify(result)}`);
  await connected.promise;
  return { ...call, colleague: second.callee };
}

/** Calls do not start at the same moment: their lines would all tick together, which costs less. */
async function atMoment<T>(index: number, start: () => Promise<T>): Promise<T> {
  await sleep(index * 7);
  return start();
}

async function bridgeDelay(calls: number, seconds: number): Promise<number[]> {
  const all = await Promise.all(
    Array.from({ length: calls }, async (_, index) => {
      const { person, colleague, hangUp } = await atMoment(index, startBridged);
      const delays: number[] = [];
      measureDelays(person, colleague, delays);
      measureDelays(colleague, person, delays);
      const parties = [person, colleague];
      const turns = await takeTurns(seconds, (turn) => parties[turn % 2]!.write(talk));
      await sleep(200);
      await hangUp();
      if (delays.length < turns * frames_of_talk * 0.97)
        throw new Error(`only ${delays.length} of ${turns * frames_of_talk} frames arrived`);
      return delays;
    }),
  );
  return all.flat();
}

function measureDelays(from: MediaSession, to: MediaSession, delays: number[]): void {
  const left_ms = new Map<number, number>();
  from.onPlayed(([level]) => {
    if (isTalk(level!)) left_ms.set(level!, performance.now());
  });
  to.onFrame(([level]) => {
    const ms = left_ms.get(level!);
    left_ms.delete(level!);
    if (ms !== undefined) delays.push(performance.now() - ms);
  });
}

/** Processor time of what `work` does, per second and call. */
async function processor(calls: number, work: () => Promise<unknown>): Promise<number[]> {
  const before = process.cpuUsage();
  const start = performance.now();
  await work();
  const { user, system } = process.cpuUsage(before);
  return [(user + system) / ((performance.now() - start) / 1000) / calls];
}

async function bridgeProcessor(calls: number, seconds: number): Promise<number[]> {
  const bridged = await Promise.all(
    Array.from({ length: calls }, (_, index) => atMoment(index, startBridged)),
  );
  for (const { person, colleague } of bridged)
    for (const party of [person, colleague]) party.onFrame(() => {});
  const result = await processor(calls, () =>
    takeTurns(seconds, (turn) => {
      for (const { person, colleague } of bridged) [person, colleague][turn % 2]!.write(talk);
    }),
  );
  await Promise.all(bridged.map(({ hangUp }) => hangUp()));
  return result;
}

async function pairProcessor(calls: number, seconds: number): Promise<number[]> {
  const pairs = await Promise.all(
    Array.from({ length: calls }, (_, index) =>
      atMoment(index, async () => [listenedLine(), listenedLine()] as const),
    ),
  );
  const result = await processor(calls, () =>
    takeTurns(seconds, (turn) => {
      for (const pair of pairs) {
        pair[turn % 2]!.callee.write(talk);
        pair[1 - (turn % 2)]!.caller.write(talk);
      }
    }),
  );
  for (const { close } of pairs.flat()) close();
  return result;
}

function listenedLine() {
  const { caller, callee } = memoryCall({ clock });
  const nothing = () => {};
  const listener = openListener({
    ...engines(),
    clock,
    language: usual.language,
    endpoint: default_timeouts.endpoint,
    lost_speech_ms: default_timeouts.lost_speech_ms,
    callbacks: {
      speechStarted: nothing,
      speechContinued: nothing,
      turnEnded: nothing,
      speechLost: nothing,
      vadLate: nothing,
      failed: nothing,
    },
  });
  caller.onFrame(listener.push);
  callee.onFrame(nothing);
  const close = () => {
    caller.close();
    listener.close();
  };
  return { caller, callee, close };
}

/** Over a real socket, to a server in this process. */
async function relayTurns(calls: number, turns: number): Promise<number[]> {
  const server = new WebSocketServer({ host: '127.0.0.1', port: 0 });
  server.on('connection', (socket: WebSocket) =>
    socket.on('message', (data) => {
      if ((JSON.parse(String(data)) as { type: string }).type === 'prompt')
        socket.send(JSON.stringify({ type: 'text', token: 'Yes.', last: true }));
    }),
  );
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as { port: number };
  const policy = addressPolicy({ private_targets: ['127.0.0.0/8'], require_https: false });
  const agent = guardedAgent({ policy });
  const sounds = soundConverter();
  try {
    const all = await Promise.all(
      Array.from({ length: calls }, async (_, index) => {
        await sleep(index * 7);
        const at = { url: `ws://127.0.0.1:${port}/`, secret: 'secret' };
        return relayCall(await connectRelay({ policy, agent, clock: systemClock(), sounds }, at), turns);
      }),
    );
    return all.flat();
  } finally {
    server.close();
    await Promise.all([agent.destroy(), sounds.close()]);
  }
}

async function relayCall(link: RelayLink, turns: number): Promise<number[]> {
  let prompted_ms: number | null = null;
  const delays: number[] = [];
  const watched: RelayLink = {
    ...link,
    send(frame) {
      if (frame.type === 'prompt') prompted_ms = performance.now();
      link.send(frame);
    },
  };
  const settings = {
    dtmf: true,
    partial_prompts: false,
    interruptible: 'any',
    fallback: false,
    end_transfer: null,
  } as const;
  const { person, hangUp } = startCall({ relay: { link: watched, settings } }, () => {
    if (prompted_ms !== null) delays.push(performance.now() - prompted_ms);
    prompted_ms = null;
  });
  await sleep(500);
  for (let turn = 0; turn < turns; turn++) {
    person.write(sayCoded('Hello.'));
    await sleep(coded_ms('Hello.') + 300 + coded_ms('Yes.') + 400);
  }
  await hangUp();
  link.close();
  if (delays.length < turns) throw new Error(`only ${delays.length} of ${turns} prompts were answered`);
  return delays;
}

answerQuestions<BridgeQuestion, number[]>((question) => {
  if (question.measure === 'relay_turns') return relayTurns(question.calls, question.turns);
  const { calls, seconds } = question;
  if (question.measure === 'bridge_delay') return bridgeDelay(calls, seconds);
  if (question.measure === 'bridge_processor') return bridgeProcessor(calls, seconds);
  return pairProcessor(calls, seconds);
});
