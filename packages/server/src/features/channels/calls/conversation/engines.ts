// Chooses the engines of one call: the model named in the request, the organization's providers, or those of this server.

import type { ProviderLayer } from '@parley/contract/access/providers';
import type { AgentEngines } from '@parley/contract/agents/agent-fields';
import type { Tracing } from '../../../../platform/tracing/trace.ts';
import type { RecordTrace } from '../../../../platform/tracing/trace-below.ts';
import {
  type EngineFallback,
  fallbackLlm,
  fallbackStt,
  fallbackTts,
} from '../../../../providers/fallback.ts';
import type { Llm } from '../../../../providers/llm/llm.ts';
import type { MediaClock } from '../../../../providers/media/media-clock.ts';
import type { Stt } from '../../../../providers/stt/stt.ts';
import { tracedLlm, tracedStt, tracedTts } from '../../../../providers/traced-engines.ts';
import type { Tts } from '../../../../providers/tts/tts.ts';
import type { ActiveProvider, ProviderSettings } from '../../../access/provider-settings/index.ts';
import type { RunningCall } from '../dispatch/progress/progress-store.ts';
import type { OwnLlm } from './speak/speech-plan.ts';
import type { SpeechEngines } from './voice-agent.ts';

/** The speech engines of this server. */
export type Speech = SpeechEngines & { clock: MediaClock };

/** Opens the providers that organizations configured. */
export type OwnEngines = {
  llm(provider: ActiveProvider): Llm;
  stt(provider: ActiveProvider): Stt;
  tts(provider: ActiveProvider): Tts;
  /** Opens the model at an address that the request for the call named. */
  llmAt(at: OwnLlm & { api_key: string | null }): Llm;
};

/** What decides about the engines of a call. */
export type EngineCall = Pick<RunningCall, 'organization_id' | 'id' | 'provider' | 'plan' | 'llm_key_sealed'>;

/** The engines of this server, and how those of organizations open. */
type EngineSources = { speech: Speech; own: OwnEngines };

export type EngineNote = (note: { layer: ProviderLayer; detail: string }) => void;

export function callEngines(deps: {
  speech: Speech;
  own: OwnEngines;
  providers: Pick<ProviderSettings, 'active' | 'named' | 'paramsOf'>;
  openLlmKey(call: EngineCall): string | null;
  /** Whether the rule-based offline model may speak on calls of this carrier. */
  mayBeOffline(provider: string): boolean;
  tracing: Tracing | null;
}) {
  /** The provider that the agent names, else the active one; null: the server's own engine. */
  const providerFor = async (call: EngineCall, layer: ProviderLayer, missing: (detail: string) => void) => {
    const named = call.plan.engines[layer];
    if (named === null) return deps.providers.active(call.organization_id, layer);
    const { provider: name, ...options } = named;
    const provider = await deps.providers.named(call.organization_id, layer, name);
    if (!provider) {
      const detail = `The provider ${name} of the agent is not set for ${layer} any more.`;
      // Never the offline model in its place on a real call.
      if (layer === 'llm' && !deps.mayBeOffline(call.provider)) throw new Error(detail);
      missing(detail);
      return deps.providers.active(call.organization_id, layer);
    }
    if (layer === 'llm') return provider;
    const taken = deps.providers.paramsOf(layer, name);
    const params = Object.entries(options).filter(([, value]) => value !== null && value !== undefined);
    for (const [option] of params.filter(([key]) => !taken.includes(key)))
      missing(`The provider ${name} has no option ${option}.`);
    const used = Object.fromEntries(params.filter(([key]) => taken.includes(key)));
    return { ...provider, params: { ...provider.params, ...used } };
  };

  const choose = async <Engine>(
    call: EngineCall,
    layer: ProviderLayer,
    ours: Engine,
    open: (provider: ActiveProvider) => Engine,
    withFallback: ((engines: [Engine, Engine]) => Engine) | null,
    note: EngineNote,
  ): Promise<Engine> => {
    const provider = await providerFor(call, layer, (detail) => note({ layer, detail }));
    if (!provider) return ours;
    const own_engine = open(provider);
    return provider.fallback_enabled && withFallback ? withFallback([own_engine, ours]) : own_engine;
  };

  const llmOf = (
    call: EngineCall,
    { speech, own }: EngineSources,
    withFallback: ((engines: [Llm, Llm]) => Llm) | null,
    note: EngineNote,
  ): Promise<Llm> =>
    call.plan.brain
      ? Promise.resolve(own.llmAt({ ...call.plan.brain, api_key: deps.openLlmKey(call) }))
      : choose(call, 'llm', speech.llm, own.llm, withFallback, note);

  return {
    /** Throws when a provider of the call cannot be opened. `note` is called when an engine or option is not used. */
    async forCall(call: RunningCall, note: EngineNote, trace: RecordTrace | null): Promise<SpeechEngines> {
      const { plan } = call;
      const engine = tracedEngines(trace, deps);
      const onFallback = ({ layer, from, to, why }: EngineFallback) =>
        note({ layer, detail: `${from} failed (${why}), and ${to} took over.` });
      const llmFallback = deps.mayBeOffline(call.provider)
        ? (both: [Llm, Llm]) => fallbackLlm(both, onFallback)
        : null;
      const [llm, stt, tts] = await Promise.all([
        llmOf(call, engine, llmFallback, note),
        choose(call, 'stt', engine.speech.stt, engine.own.stt, (both) => fallbackStt(both, onFallback), note),
        choose(call, 'tts', engine.speech.tts, engine.own.tts, (both) => fallbackTts(both, onFallback), note),
      ]);
      return { vad: deps.speech.vad, llm: withLlmOptions(llm, plan.engines.llm), stt, tts };
    },

    /** The model that reports about a call. No other model takes its place: a worse report would look like its own. */
    reporter: async (call: EngineCall): Promise<Llm> =>
      tracedLlm(deps.tracing, await llmOf(call, deps, null, () => {})),
  };
}

/** Each engine has spans of its own, so that a trace shows which one failed before another took over. */
function tracedEngines(trace: RecordTrace | null, engines: EngineSources): EngineSources {
  if (!trace) return engines;
  const { speech, own } = engines;
  const stt = (engine: Stt) => tracedStt(trace.record, engine);
  return {
    speech: {
      ...speech,
      llm: tracedLlm(trace, speech.llm),
      stt: stt(speech.stt),
      tts: tracedTts(trace, speech.tts),
    },
    own: {
      llm: (provider) => tracedLlm(trace, own.llm(provider)),
      stt: (provider) => stt(own.stt(provider)),
      tts: (provider) => tracedTts(trace, own.tts(provider)),
      llmAt: (at) => tracedLlm(trace, own.llmAt(at)),
    },
  };
}

/** Adds the agent's options to every request. */
export function withLlmOptions(llm: Llm, options: AgentEngines['llm']): Llm {
  const { temperature, max_output_tokens } = options ?? {};
  if (temperature === undefined && max_output_tokens === undefined) return llm;
  const more = {
    ...(temperature !== undefined && { temperature }),
    ...(max_output_tokens !== undefined && { max_output_tokens }),
  };
  return { ...llm, reply: (request) => llm.reply({ ...more, ...request }) };
}
export type CallEngines = ReturnType<typeof callEngines>;
