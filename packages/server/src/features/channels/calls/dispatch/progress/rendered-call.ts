// Puts the values of variables into the texts of a call. Rules and approvals see the texts as they were requested.
import { type TemplateValues, usesName } from '@parley/contract/schema/templates';
import type { Clock } from '../../../../../platform/clock.ts';
import { reservedValues, textsOf } from '../../../../agents/agents/index.ts';
import { renderPlan, type SpeechPlan } from '../../conversation/speak/speech-plan.ts';
import type { RunningCall } from './progress-store.ts';

export type RenderDeps = {
  clock: Clock;
  contactName(organization_id: string, party: string): Promise<string | null>;
};

/** The values of the reserved variables when the call starts. */
export async function templateValues(deps: RenderDeps, call: RunningCall): Promise<TemplateValues> {
  const { plan, direction, organization_id } = call;
  const [person, own] = direction === 'inbound' ? [call.from, call.to] : [call.to, call.from];
  return reservedValues({
    now: deps.clock.now(),
    timezone: plan.timezone,
    language: plan.language,
    call_id: call.id,
    conversation_id: call.conversation_id,
    person,
    own,
    direction,
    contact_name: needsContact(plan) ? await deps.contactName(organization_id, person) : null,
  });
}

/** Most calls do not use the name. Texts of stored tools are not known here, so a call with one looks it up. */
const needsContact = (plan: SpeechPlan): boolean =>
  plan.tools.some(({ type }) => type === 'tool') ||
  textsOf(plan, () => '').some(({ text }) => usesName(text, 'contact_name'));

export const renderedPlan = ({ plan, values }: Pick<RunningCall, 'plan' | 'values'>): SpeechPlan =>
  renderPlan(plan, values ?? {});
