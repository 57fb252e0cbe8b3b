// The complete values of an agent's fields: what a request left out is filled with the value before, else the default.
import type { z } from 'zod';
import type {
  AgentDestination,
  AgentEngines,
  AgentLimits,
  AgentMessaging,
  AgentToolEntry,
  AgentVoicemail,
  ToolSpeech,
  TransferOptions,
} from './agent-fields.ts';

export const default_limits: AgentLimits = {
  tool_calls: 30,
  texts: 3,
  emails: 2,
  transfers: 3,
  hold_seconds: 600,
};
export const default_voicemail: AgentVoicemail = { action: 'leave_message', message: null };
export const default_engines: AgentEngines = { llm: null, stt: null, tts: null, relay: null };
export const default_messaging: AgentMessaging = {
  reply_mode: 'send',
  reply_delay_seconds: null,
  replies_per_hour: 10,
  replies_per_day: 20,
  human_pause_minutes: 60,
  quiet_hours: null,
  history_messages: 30,
  include_calls: true,
  link_hosts: [],
  fallback_message: null,
  hand_over_to: null,
};
export const default_tools: readonly AgentToolEntry[] = [{ type: 'end_call' }, { type: 'send_digits' }];

/** `before` with the fields that `given` has. */
const over = <T extends object>(before: T, given: object | null | undefined): T => ({
  ...before,
  ...Object.fromEntries(Object.entries(given ?? {}).filter(([, value]) => value !== undefined)),
});

export const completeLimits = (
  given: z.output<typeof AgentLimits> | null | undefined,
  before = default_limits,
): AgentLimits => over(before, given);

export const completeVoicemail = (
  given: z.output<typeof AgentVoicemail> | null | undefined,
  before = default_voicemail,
): AgentVoicemail => over(before, given);

export const completeEngines = (
  given: z.output<typeof AgentEngines> | null | undefined,
  before = default_engines,
): AgentEngines => over(before, given);

export function completeMessaging(
  given: z.output<typeof AgentMessaging> | null | undefined,
  before = default_messaging,
): AgentMessaging {
  const merged = over(before, given);
  const hours = merged.quiet_hours;
  return { ...merged, quiet_hours: hours && { ...hours, applies_to: hours.applies_to ?? 'initiated' } };
}

export const completeTransfer = (given: z.output<typeof AgentDestination>['transfer']): TransferOptions =>
  over<TransferOptions>(
    {
      mode: 'warm',
      brief: 'summary',
      accept: 'yes_or_1',
      ring_timeout_seconds: 25,
      on_failure: 'return',
      announce: null,
      then: null,
    },
    given,
  );

export const completeDestination = (given: z.output<typeof AgentDestination>): AgentDestination => ({
  name: given.name,
  description: given.description ?? '',
  phone: given.phone ?? null,
  email: given.email ?? null,
  recipient_consent: true,
  transfer: completeTransfer(given.transfer),
});

export const completeSpeech = (given: z.output<typeof ToolSpeech> | null | undefined): ToolSpeech | null =>
  given ? over<ToolSpeech>({ start: null, slow_after_ms: 2500, slow: [], failed: null }, given) : null;
