// Chooses the engines of one call: the model named in the request, the organization's providers, or those of this server.
import type { ProviderLayer } from '@parley/contract/providers';
import { type EngineFallback, fallbackLlm, fallbackStt, fallbackTts } from '../../../providers/fallback.ts';
import type { Llm } from '../../../providers/llm/llm.ts';
import type { MediaClock } from '../../../providers/media/media-clock.ts';
import type { Stt } from '../../../providers/stt/stt.ts';
import type { Tts } from '../../../providers/tts/tts.ts';
import type { ActiveProvider, ProviderSettings } from '../../provider-settings/index.ts';
import type { RunningCall } from '../dispatch/progress-store.ts';
import type { OwnLlm } from './speech-plan.ts';
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

export function callEngines(deps: {
  speech: Speech;
  own: OwnEngines;
  providers: Pick<ProviderSettings, 'active'>;
  openLlmKey(call: RunningCall): string | null;
  /** Whether the rule-based offline model may speak on calls of this carrier. */
  mayBeOffline(provider: string): boolean;
}) {
  const { speech, own } = deps;

  const choose = async <Engine>(
    organization_id: string,
    layer: ProviderLayer,
    ours: Engine,
    open: (provider: ActiveProvider) => Engine,
    withFallback: ((engines: [Engine, Engine]) => Engine) | null,
  ): Promise<Engine> => {
    const provider = await deps.providers.active(organization_id, layer);
    if (!provider) return ours;
    const own_engine = open(provider);
    return provider.fallback_enabled && withFallback ? withFallback([own_engine, ours]) : own_engine;
  };

  return {
    /** Throws when a provider of the call cannot be opened. */
    async forCall(call: RunningCall, onFallback: (event: EngineFallback) => void): Promise<SpeechEngines> {
      const { organization_id, plan } = call;
      const llmFallback = deps.mayBeOffline(call.provider)
        ? (both: [Llm, Llm]) => fallbackLlm(both, onFallback)
        : null;
      const [llm, stt, tts] = await Promise.all([
        plan.brain
          ? own.llmAt({ ...plan.brain, api_key: deps.openLlmKey(call) })
          : choose(organization_id, 'llm', speech.llm, own.llm, llmFallback),
        choose(organization_id, 'stt', speech.stt, own.stt, (both) => fallbackStt(both, onFallback)),
        choose(organization_id, 'tts', speech.tts, own.tts, (both) => fallbackTts(both, onFallback)),
      ]);
      return { vad: speech.vad, llm, stt, tts };
    },
  };
}
export type CallEngines = ReturnType<typeof callEngines>;
