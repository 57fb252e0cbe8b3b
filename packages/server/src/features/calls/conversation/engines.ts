// Chooses the speech engines of one call: the model named in the request, the organization's own providers, else this server's.
import type { ProviderLayer } from '@parley/contract/providers';
import { type EngineFallback, fallbackLlm, fallbackStt, fallbackTts } from '../../../providers/fallback.ts';
import type { Llm } from '../../../providers/llm/llm.ts';
import type { MediaClock } from '../../../providers/media/media-clock.ts';
import type { Stt } from '../../../providers/stt/stt.ts';
import type { Tts } from '../../../providers/tts/tts.ts';
import type { ActiveProvider, ProviderSettings } from '../../provider-settings/index.ts';
import type { LedCall } from '../dispatch/progress-store.ts';
import type { OwnLlm } from './speech-plan.ts';
import type { SpeechEngines } from './voice-agent.ts';

/** What a server speaks and listens with. */
export type Speech = SpeechEngines & { clock: MediaClock };

/** Opens the providers that organizations bring. */
export type OwnEngines = {
  llm(given: ActiveProvider): Llm;
  stt(given: ActiveProvider): Stt;
  tts(given: ActiveProvider): Tts;
  /** The model at an address named in the request that created the call. */
  llmAt(at: OwnLlm & { api_key: string | null }): Llm;
};

export function callEngines(deps: {
  speech: Speech;
  own: OwnEngines;
  providers: Pick<ProviderSettings, 'active'>;
  openLlmKey(call: LedCall): string | null;
  /** Whether the server's own model may speak on calls of this carrier. */
  mayBeOffline(provider: string): boolean;
}) {
  const { speech, own } = deps;

  const chosen = async <Engine>(
    organization_id: string,
    layer: ProviderLayer,
    ours: Engine,
    open: (given: ActiveProvider) => Engine,
    withFallback: ((engines: [Engine, Engine]) => Engine) | null,
  ): Promise<Engine> => {
    const given = await deps.providers.active(organization_id, layer);
    if (!given) return ours;
    return given.fallback_enabled && withFallback ? withFallback([open(given), ours]) : open(given);
  };

  return {
    clock: speech.clock,
    /** Throws when what the call is to use cannot be opened. */
    async forCall(call: LedCall, tookOver: (events: EngineFallback) => void): Promise<SpeechEngines> {
      const { organization_id, plan } = call;
      const llmFallback = deps.mayBeOffline(call.provider)
        ? (both: [Llm, Llm]) => fallbackLlm(both, tookOver)
        : null;
      const [llm, stt, tts] = await Promise.all([
        plan.brain
          ? own.llmAt({ ...plan.brain, api_key: deps.openLlmKey(call) })
          : chosen(organization_id, 'llm', speech.llm, own.llm, llmFallback),
        chosen(organization_id, 'stt', speech.stt, own.stt, (both) => fallbackStt(both, tookOver)),
        chosen(organization_id, 'tts', speech.tts, own.tts, (both) => fallbackTts(both, tookOver)),
      ]);
      return { vad: speech.vad, llm, stt, tts };
    },
  };
}
export type CallEngines = ReturnType<typeof callEngines>;
