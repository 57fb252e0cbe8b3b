// How the agent speaks on one call: what the call says goes before what its agent says.
import type { Agent } from '@parley/contract/agents';
import type { CallCreate } from '@parley/contract/calls';
import type { Briefing } from '../../../providers/carrier/carrier.ts';
import type { SpokenCall } from './spoken-call.ts';

/** The model named in the request; its key is stored sealed, in a column of its own. */
export type OwnLlm = { base_url: string; model: string };

export type SpeechPlan = Omit<SpokenCall, 'direction' | 'max_duration_ms'> & {
  max_duration_seconds: number;
  /** The model named in the request. Stored in `calls.plan` under this key, which therefore stays. */
  brain: OwnLlm | null;
};

/** A call to us is given nothing: its agent knows everything. */
export function speechPlan(
  given: Partial<CallCreate>,
  agent: Agent | null,
  own_llm: OwnLlm | null,
): SpeechPlan {
  return {
    system_prompt: given.system_prompt ?? agent?.system_prompt ?? '',
    first_message: given.first_message ?? agent?.first_message ?? null,
    language: given.language ?? agent?.language ?? 'en',
    voice: given.voice ?? agent?.voice ?? null,
    // The agent names a model of its provider, which the endpoint in the request may not have.
    model: own_llm ? null : (agent?.llm_model ?? null),
    ai_disclosure: given.ai_disclosure ?? agent?.ai_disclosure ?? true,
    max_duration_seconds: given.max_duration_seconds ?? agent?.max_duration_seconds ?? 600,
    brain: own_llm,
  };
}

export const spokenCall = (plan: SpeechPlan, direction: SpokenCall['direction']): SpokenCall => {
  const { max_duration_seconds, brain: _, ...rest } = plan;
  return { ...rest, direction, max_duration_ms: max_duration_seconds * 1000 };
};

export const briefingOf = (plan: Omit<SpokenCall, 'direction' | 'max_duration_ms'>): Briefing => {
  const { system_prompt, first_message, language, voice, model, ai_disclosure } = plan;
  return { system_prompt, first_message, language, voice, model, ai_disclosure };
};

/** For questions about calls that were placed before. */
export const no_briefing: Briefing = {
  system_prompt: '',
  first_message: null,
  language: 'en',
  voice: null,
  model: null,
  ai_disclosure: true,
};
