// A conversation with the voice agent in which the test plays the other party, on a stepped clock with coded speech.
import { type AgentTool, attemptTool } from '../src/features/agents/runtime/index.ts';
import type { ConversationControl } from '../src/features/channels/calls/conversation/control.ts';
import type { Fact, SaidFact, SpokenCallEnd } from '../src/features/channels/calls/conversation/facts.ts';
import type { SpokenCall } from '../src/features/channels/calls/conversation/spoken-call.ts';
import type { CallToolSetup } from '../src/features/channels/calls/conversation/tools/call-tools.ts';
import {
  type SpeechEngines,
  speakOnCall,
  type VoiceAgentDeps,
} from '../src/features/channels/calls/conversation/voice-agent.ts';
import { joinPcm } from '../src/protocols/audio/join-pcm.ts';
import type { Llm, LlmChunk, LlmRequest } from '../src/providers/llm/llm.ts';
import { memoryCall } from '../src/providers/media/memory-session.ts';
import { coded_ms, codedStt, codedTts, codedVad, hearCoded, sayCoded } from './coded-speech.ts';
import { steppedClock } from './stepped-clock.ts';

export const disclosure = 'Hello, this is an AI assistant speaking.';

const usual: SpokenCall = {
  direction: 'outbound',
  system_prompt: 'Be kind.',
  first_message: null,
  language: 'en',
  voice: null,
  model: null,
  ai_disclosure: false,
  max_duration_ms: 600_000,
};

/** A model that gives the next of these replies at each request and stores the requests. */
export function scripted(...replies: (string | LlmChunk[] | Error)[]): Llm & { requests: LlmRequest[] } {
  const requests: LlmRequest[] = [];
  return {
    name: 'scripted',
    capabilities: { tools: true },
    requests,
    async *reply(request) {
      const next = replies[requests.length] ?? 'Nothing more.';
      requests.push(request);
      if (next instanceof Error) throw next;
      if (typeof next !== 'string') return yield* next;
      for (const word of next.match(/\S+\s*/g) ?? []) yield { text: word };
    },
  };
}
export const tool = (name: string, input: unknown = {}): LlmChunk => ({
  tool_call: { call_id: 'c1', name, arguments: input },
});

type CallOptions = Partial<Pick<VoiceAgentDeps, keyof SpeechEngines | 'relay' | 'transfers'>> & {
  /** Besides end_call, send_digits and hold. */
  tools?: readonly AgentTool[] | CallToolSetup['more'];
  limits?: Partial<CallToolSetup['limits']>;
};

const isLoud = (frame: Int16Array): boolean => frame.some((sample) => sample !== 0);

export function startCall(
  more: Partial<SpokenCall> = {},
  { tools = [], limits = {}, ...engines }: CallOptions = {},
) {
  const clock = steppedClock();
  const line = memoryCall({ clock });
  const person = line.callee;
  const facts: Fact[] = [];
  const frames: Int16Array[] = [];
  let digits = '';
  person.onFrame((pcm) => frames.push(pcm.slice()));
  person.onDigit((digit) => {
    digits += digit;
  });
  const hanging_up = new AbortController();
  let end: SpokenCallEnd | null = null;
  let control: ConversationControl | null = null;
  let ids = 0;
  const setup: CallToolSetup = {
    line: ['end_call', 'send_digits', 'hold'],
    more: (host) => (typeof tools === 'function' ? tools(host) : tools),
    run: (use, signal) => attemptTool(clock, use, signal),
    nextId: () => `tool-call-${++ids}`,
    limits: { tool_calls: 30, hold_seconds: 60, ...limits },
  };
  const deps = { vad: codedVad(), stt: codedStt(), tts: codedTts(), llm: scripted(), ...engines };
  void speakOnCall(
    {
      ...deps,
      clock,
      emit: (fact) => facts.push(fact),
      tools: setup,
      opened: (opened) => {
        control = opened;
      },
    },
    line.caller,
    { ...usual, ...more },
    hanging_up.signal,
  ).then((result) => {
    end = result;
  });
  const said = () => facts.filter((fact): fact is SaidFact => fact.kind === 'said');
  return {
    clock,
    line,
    person,
    facts,
    hanging_up,
    /** What the API can do to the conversation. */
    control: () => control!,
    /** What the person has heard from the agent so far. */
    heard: () => hearCoded(joinPcm(frames)),
    lastFrameIsLoud: () => isLoud(frames.at(-1) ?? new Int16Array()),
    loudFrames: () => frames.filter(isLoud).length,
    digits: () => digits,
    transcript: () => said().map(({ speaker, text }) => `${speaker}: ${text}`),
    said,
    /** The person speaks; time passes until the end of the text. */
    async say(text: string) {
      person.write(sayCoded(text));
      await clock.pass(coded_ms(text));
    },
    async untilEnd(limit_ms = 60_000): Promise<SpokenCallEnd> {
      await clock.passUntil(() => end !== null, limit_ms);
      return end!;
    },
    ended: () => end,
  };
}
