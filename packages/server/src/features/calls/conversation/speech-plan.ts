// How the agent speaks on one call: fields of the call take precedence over fields of its agent.
import type { Agent } from '@parley/contract/agents';
import type { CallCreate } from '@parley/contract/calls';
import type { Briefing } from '../../../providers/carrier/carrier.ts';
import type { SpokenCall } from './spoken-call.ts';
import { do_not_contact } from './tools.ts';

/** The model named in the request; its key is stored sealed, in a column of its own. */
export type OwnLlm = { base_url: string; model: string };

export type SpeechPlan = Omit<SpokenCall, 'direction' | 'max_duration_ms'> & {
  max_duration_seconds: number;
  /** The model named in the request. Stored in `calls.plan` under this key, which therefore stays. */
  brain: OwnLlm | null;
};

/** An inbound call has no fields of its own: `fields` is empty and everything comes from the agent. */
export function speechPlan(
  fields: Partial<CallCreate>,
  agent: Agent | null,
  own_llm: OwnLlm | null,
): SpeechPlan {
  return {
    system_prompt: fields.system_prompt ?? agent?.system_prompt ?? '',
    first_message: fields.first_message ?? agent?.first_message ?? null,
    language: fields.language ?? agent?.language ?? 'en',
    voice: fields.voice ?? agent?.voice ?? null,
    // The agent names a model of its provider, which the endpoint in the request may not have.
    model: own_llm ? null : (agent?.llm_model ?? null),
    ai_disclosure: fields.ai_disclosure ?? agent?.ai_disclosure ?? true,
    max_duration_seconds: fields.max_duration_seconds ?? agent?.max_duration_seconds ?? 600,
    brain: own_llm,
  };
}

export const spokenCall = (plan: SpeechPlan, direction: SpokenCall['direction']): SpokenCall => {
  const { max_duration_seconds, brain: _, ...rest } = plan;
  return { ...rest, direction, max_duration_ms: max_duration_seconds * 1000 };
};

export const briefingOf = (plan: Omit<SpokenCall, 'direction' | 'max_duration_ms'>): Briefing => {
  const { system_prompt, first_message, language, voice, model, ai_disclosure } = plan;
  return { system_prompt, first_message, language, voice, model, ai_disclosure, tools: [do_not_contact] };
};

/** For looking up a call that was placed before: the carrier does not use the briefing then. */
export const no_briefing: Briefing = {
  system_prompt: '',
  first_message: null,
  language: 'en',
  voice: null,
  model: null,
  ai_disclosure: true,
  tools: [],
};
