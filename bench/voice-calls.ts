// Runs spoken calls over in-memory media sessions in a separate process and measures the service's share of them.
import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { attemptTool, type ToolOutcome } from '../packages/server/src/features/agents/runtime/index.ts';
import type { Fact } from '../packages/server/src/features/channels/calls/conversation/facts.ts';
import type { SpokenCall } from '../packages/server/src/features/channels/calls/conversation/spoken-call.ts';
import type { CallToolSetup } from '../packages/server/src/features/channels/calls/conversation/tools/call-tools.ts';
import {
  type SpeechEngines,
  speakOnCall,
} from '../packages/server/src/features/channels/calls/conversation/voice-agent.ts';
import { personAt } from '../packages/server/src/features/channels/calls/sandbox-people/people.ts';
import { playPerson } from '../packages/server/src/features/channels/calls/sandbox-people/person.ts';
import type { Llm } from '../packages/server/src/providers/llm/llm.ts';
import { offlineLlm } from '../packages/server/src/providers/llm/offline/index.ts';
import { realTimeClock } from '../packages/server/src/providers/media/media-clock.ts';
import { memoryCall } from '../packages/server/src/providers/media/memory-session.ts';
import { moonshineStt } from '../packages/server/src/providers/stt/moonshine/index.ts';
import { fliteTts } from '../packages/server/src/providers/tts/flite/index.ts';
import { sileroVad } from '../packages/server/src/providers/vad/silero/index.ts';
import { testTool } from '../packages/server/testing/agent-tools.ts';
import { coded_ms, codedStt, codedTts, codedVad, sayCoded } from '../packages/server/testing/coded-speech.ts';
import { answerQuestions } from './side-process.ts';

export type VoiceQuestion =
  /** Concurrent calls with several turns each, with engines that take no time. */
  | { measure: 'turns'; calls: number; turns: number }
  /** The same, with a tool that answers at once between the question and the reply. */
  | { measure: 'tool_turns'; calls: number; turns: number }
  /** From the end of a turn to the first sound of the sentence that fills the wait for a slow tool. */
  | { measure: 'fillers'; calls: number }
  | { measure: 'interruptions'; calls: number }
  /** Processor time per second of one of these calls, in microseconds. */
  | { measure: 'processor'; calls: number; turns: number }
  /** Memory of a call in silence. */
  | { measure: 'memory'; calls: number }
  /** One call between two voices, with the engines that are installed with the packages. */
  | { measure: 'offline' };

const clock = realTimeClock();
const usual: SpokenCall = {
  direction: 'outbound',
  system_prompt: '',
  first_message: null,
  language: 'en',
  voice: null,
  model: null,
  ai_disclosure: false,
  max_duration_ms: 600_000,
};
const says = (text: string): Llm => ({
  name: 'stub',
  capabilities: { tools: true },
  async *reply() {
    yield { text };
  },
});
const stubs = (text: string): SpeechEngines => ({
  vad: codedVad(),
  stt: codedStt(),
  tts: codedTts(),
  llm: says(text),
});

/** As many tools as an agent with a busy job has. */
const tool_count = 20;
const toolsOf = (answer: () => Promise<ToolOutcome>): CallToolSetup => ({
  line: ['end_call', 'send_digits', 'hold'],
  more: () =>
    Array.from({ length: tool_count - 3 }, (_, index) => testTool(`look_up_${index}`, { run: answer })),
  run: (use, signal) => attemptTool(clock, use, signal),
  nextId: () => '',
  limits: { tool_calls: 100, hold_seconds: 600 },
});
const at_once = toolsOf(async () => ({ outcome: 'done', content: 'ok' }));
const slow_ms = 2000;
const slow = toolsOf(async () => {
  await sleep(slow_ms);
  return { outcome: 'done', content: 'ok' };
});

/** Calls a tool first, and says the text when its result is there. */
const usesTool = (text: string): Llm => ({
  name: 'stub',
  capabilities: { tools: true },
  async *reply({ turns }) {
    if (turns.at(-1)?.role === 'tool') yield { text };
    else yield { tool_call: { call_id: `${turns.length}`, name: 'look_up_0', arguments: {} } };
  },
});

function startCall(engines: SpeechEngines, call: SpokenCall = usual, tools: CallToolSetup = at_once) {
  const { caller, callee } = memoryCall({ clock });
  const facts: Fact[] = [];
  const hanging_up = new AbortController();
  const end = speakOnCall(
    { ...engines, clock, emit: (fact) => facts.push(fact), tools },
    caller,
    call,
    hanging_up.signal,
  );
  const hangUp = async () => {
    hanging_up.abort();
    await end;
  };
  return { callee, facts, end, hangUp };
}

async function turns(calls: number, count: number, llm = says('Yes.')): Promise<number[]> {
  const all = await Promise.all(
    Array.from({ length: calls }, async (_, i) => {
      const { callee, facts, hangUp } = startCall({ ...stubs('Yes.'), llm });
      // Calls do not start at the same moment.
      await sleep(i * 7);
      for (let turn = 0; turn < count; turn++) {
        callee.write(sayCoded('Hello.'));
        await sleep(coded_ms('Hello.') + 300 + coded_ms('Yes.') + 400);
      }
      await hangUp();
      return facts.flatMap((fact) => (fact.kind === 'said' && fact.timings ? [fact.timings] : []));
    }),
  );
  const timings = all.flat();
  if (timings.length < calls * count * 0.9)
    throw new Error(`only ${timings.length} of ${calls * count} turns got a reply`);
  return timings.map(({ total_ms, endpoint_ms }) => total_ms - endpoint_ms);
}

async function fillers(calls: number): Promise<number[]> {
  const endpoint_ms = 300;
  const all = await Promise.all(
    Array.from({ length: calls }, async (_, i) => {
      const { callee, facts, hangUp } = startCall({ ...stubs(''), llm: usesTool('Yes.') }, usual, slow);
      await sleep(i * 7);
      callee.write(sayCoded('Hello.'));
      await sleep(coded_ms('Hello.') + endpoint_ms + slow_ms + 800);
      await hangUp();
      const said = facts.filter((fact) => fact.kind === 'said');
      const asked = said.find(({ speaker }) => speaker === 'person');
      const filler = said.find(({ is_filler }) => is_filler);
      return asked && filler ? [filler.started_ms - asked.ended_ms - endpoint_ms] : [];
    }),
  );
  if (all.flat().length < calls) throw new Error(`only ${all.flat().length} of ${calls} waits were filled`);
  return all.flat();
}

async function processor(calls: number, count: number): Promise<number[]> {
  const before = process.cpuUsage();
  const start = performance.now();
  await turns(calls, count);
  const { user, system } = process.cpuUsage(before);
  return [(user + system) / ((performance.now() - start) / 1000) / calls];
}

async function interruptions(calls: number): Promise<number[]> {
  const long = 'This is a long story about a company and all the many things that it ever did.';
  const all = await Promise.all(
    Array.from({ length: calls }, async (_, i) => {
      const { callee, facts, hangUp } = startCall(stubs(long));
      await sleep(i * 7);
      callee.write(sayCoded('Hello.'));
      await sleep(1500);
      callee.write(sayCoded('Stop, please.'));
      await sleep(800);
      await hangUp();
      return facts.flatMap((fact) => (fact.kind === 'interrupted' ? [fact.clear_ms] : []));
    }),
  );
  if (all.flat().length < calls)
    throw new Error(`only ${all.flat().length} of ${calls} calls were interrupted`);
  return all.flat();
}

async function memory(calls: number): Promise<number[]> {
  setFlagsFromString('--expose_gc');
  const collect = runInNewContext('gc') as () => void;
  const used = () => {
    collect();
    const { heapUsed, external } = process.memoryUsage();
    return heapUsed + external;
  };
  const open = async () => {
    const some = Array.from({ length: calls }, () => startCall(stubs('Yes.')));
    for (const { callee } of some) {
      // The other side must receive the audio: unread audio would stay in memory for a while.
      callee.onFrame(() => {});
      callee.write(sayCoded('Hello.'));
    }
    await sleep(2500);
    return some;
  };
  // The last timers of ended calls still reference them for a while.
  const close = async (some: Awaited<ReturnType<typeof open>>) => {
    const lines = some.map(({ callee }) => new WeakRef(callee));
    await Promise.all(some.splice(0).map(({ hangUp }) => hangUp()));
    const give_up_at = performance.now() + 20_000;
    const referenced = () => lines.filter((line) => line.deref()).length;
    // One may still be referenced by the stack; more would be a leak.
    while (referenced() > 1) {
      if (performance.now() > give_up_at) throw new Error(`${referenced()} ended calls are still referenced`);
      await sleep(50);
      collect();
    }
  };
  // The first calls also allocate what all calls share.
  await close(await open());
  const before = used();
  const held = await open();
  const after = used();
  await close(held);
  return [(after - before) / calls];
}

async function offline(): Promise<number[]> {
  const engines = { vad: sileroVad(), stt: moonshineStt({ threads: 1 }), tts: fliteTts() };
  await Promise.all(Object.values(engines).map((engine) => engine.ready()));
  const call = {
    ...usual,
    voice: 'kal16',
    system_prompt:
      'Book an appointment for Tuesday. Ask for their name. Ask what it costs. Ask whether they are open on Monday.',
  };
  const { callee, facts, end } = startCall({ ...engines, llm: offlineLlm() }, call);
  const person = personAt('+15005550201');
  if (!person.answers) throw new Error('the person who converses does not answer');
  await Promise.all([end, playPerson({ ...engines, clock, voice: 'rms' }, callee, person.steps)]);
  await Promise.all(Object.values(engines).map((engine) => engine.close()));
  const gaps = facts.flatMap((fact) => (fact.kind === 'said' && fact.timings ? [fact.timings.total_ms] : []));
  if (gaps.length < 4) throw new Error(`only ${gaps.length} answers in the call`);
  return gaps;
}

answerQuestions<VoiceQuestion, number[]>((question) => {
  if (question.measure === 'turns') return turns(question.calls, question.turns);
  if (question.measure === 'tool_turns') return turns(question.calls, question.turns, usesTool('Yes.'));
  if (question.measure === 'fillers') return fillers(question.calls);
  if (question.measure === 'processor') return processor(question.calls, question.turns);
  if (question.measure === 'interruptions') return interruptions(question.calls);
  if (question.measure === 'memory') return memory(question.calls);
  return offline();
});
