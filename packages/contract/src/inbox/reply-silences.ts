// Why an agent does not answer a text or an email that it received.
import { z } from 'zod';
import { Uuid } from '../schema/fields.ts';

/**
 * Many codes have the name of the matching error of POST /v1/sms or POST /v1/emails; not_allowed stands for the other rules, and
 * the detail names the rule.
 */
export const replySilences = [
  'llm_not_configured',
  'llm_failed',
  'kill_switch',
  'destination_not_allowed',
  'recipient_suppressed',
  'velocity_capped',
  'insufficient_funds',
  'reply_limit',
  'revocation_suspected',
  'not_allowed',
  'automatic_message',
  'own_agent',
  'repeated_message',
  'only_copied',
  'spam',
  'paused',
  'with_human',
  'agent_paused',
  'agent_declined',
  'link_not_allowed',
] as const;
export type ReplySilence = (typeof replySilences)[number];

export const silenceFields = {
  agent_id: Uuid,
  reason: z.enum(replySilences).meta({ id: 'ReplySilence' }),
  detail: z.string().describe('The reason, and how to fix it.'),
};
