// Agents: the prompt, voice and tools with which calls and texts are handled for an organization.
import { z } from 'zod';
import { limits } from '../limits.ts';
import { defineOperations } from '../operation.ts';
import { pageOf, pageQuery, Timestamp, TimeZone, Uuid } from '../schema/fields.ts';
import { JsonSchema } from '../schema/subset/schema-subset.ts';
import { default_engines, default_limits, default_voicemail } from './agent-defaults.ts';
import {
  AgentDestination,
  AgentEngines,
  AgentLimits,
  AgentMessaging,
  AgentToolEntry,
  AgentTools,
  AgentVariables,
  AgentVoicemail,
} from './agent-fields.ts';

const Name = z.string().trim().min(1, 'Expected a name').max(limits.agent_name_chars);
export const Prompt = z
  .string()
  .max(limits.agent_prompt_chars)
  .describe('Instructions for the agent: its task and how to behave.');
export const FirstMessage = z
  .string()
  .trim()
  .min(1)
  .max(limits.agent_first_message_chars)
  .describe('Said first on a call, before anything else, unless a machine answered.');
export const Language = z
  .string()
  .regex(/^[a-z]{2,3}(-[A-Za-z0-9]{2,8})*$/, 'Expected a language tag such as en or pt-BR')
  .max(35)
  .describe('A BCP 47 language tag such as en or pt-BR.');
export const Voice = z
  .string()
  .trim()
  .min(1)
  .max(100)
  .describe('The name of a voice of the active text-to-speech provider.');
const Model = z.string().trim().min(1).max(100).describe('The name of a model of the active LLM provider.');
export const SuccessCriteria = z
  .string()
  .trim()
  .min(1)
  .max(limits.agent_criteria_chars)
  .describe('When a conversation counts as successful, in words.');
export const Destinations = z
  .array(AgentDestination)
  .max(limits.agent_destinations)
  .superRefine((destinations, context) => {
    const names = destinations.map(({ name }) => name);
    for (const [index, { name, phone, email, transfer }] of destinations.entries()) {
      const issue = (path: string, message: string) =>
        context.addIssue({ code: 'custom', path: [index, path], message });
      if (names.indexOf(name) !== index) issue('name', 'Each name can be used once');
      if (!phone && !email) issue('phone', 'Expected a phone number or an email address');
      const next = transfer?.then ?? null;
      if (transfer?.on_failure === 'next' && next === null)
        issue('transfer', 'next needs a destination in then');
      const chain = chainFrom(destinations, name);
      if (chain === 'unknown') issue('transfer', 'then must name another destination with a phone number');
      if (chain === 'too_long')
        issue('transfer', `Expected at most ${limits.transfer_chain} destinations in a row, each once`);
    }
  })
  .meta({ id: 'AgentDestinations' });

type Chained = {
  name: string;
  phone?: string | null | undefined;
  transfer?: { then?: string | null | undefined } | undefined;
};

/** Whether the destinations that a transfer tries one after the other exist and come to an end. */
function chainFrom(destinations: readonly Chained[], first: string): 'ok' | 'unknown' | 'too_long' {
  let current = destinations.find(({ name }) => name === first);
  for (let length = 1; current?.transfer?.then; length++) {
    if (length >= limits.transfer_chain) return 'too_long';
    const next: string = current.transfer.then;
    current = destinations.find(({ name, phone }) => name === next && phone);
    if (!current) return 'unknown';
  }
  return 'ok';
}

const MaxDuration = z.number().int().min(30).max(14_400).describe('Maximum length of a call of this agent.');
const Disclosure = z
  .boolean()
  .describe('Whether each call starts with the sentence that the speaker is an AI.');

export const Agent = z
  .strictObject({
    id: Uuid,
    organization_id: Uuid,
    name: z.string(),
    system_prompt: z.string().nullable(),
    first_message: z.string().nullable(),
    language: z.string(),
    voice: z.string().nullable(),
    llm_model: z.string().nullable(),
    tools: z.array(AgentToolEntry),
    max_duration_seconds: z.number().int(),
    ai_disclosure: z.boolean(),
    version: z.int().describe('Grows by one with every change. A call records the version it used.'),
    timezone: z.string(),
    variables: AgentVariables,
    engines: AgentEngines,
    destinations: z.array(AgentDestination),
    limits: AgentLimits,
    voicemail: AgentVoicemail,
    result_schema: JsonSchema.nullable(),
    success_criteria: z.string().nullable(),
    summarize: z.boolean(),
    messaging: AgentMessaging,
    paused_until: Timestamp.nullable().describe('Until then it answers no texts and emails.'),
    paused_reason: z.string().nullable(),
    created_at: Timestamp,
    updated_at: Timestamp,
  })
  .meta({ id: 'Agent' });
type AgentFields = z.infer<typeof Agent>;
/** As stored: every field inside has its value. */
export type Agent = Omit<
  AgentFields,
  'variables' | 'engines' | 'destinations' | 'limits' | 'voicemail' | 'messaging'
> & {
  variables: AgentVariables;
  engines: AgentEngines;
  destinations: AgentDestination[];
  limits: AgentLimits;
  voicemail: AgentVoicemail;
  messaging: AgentMessaging;
};

/** Fields of an agent that a request may leave out. */
const newFields = {
  timezone: TimeZone.optional().describe('For {{now}} and quiet hours. Default: UTC.'),
  variables: AgentVariables.optional(),
  engines: AgentEngines.optional(),
  destinations: Destinations.optional(),
  limits: AgentLimits.optional(),
  voicemail: AgentVoicemail.optional(),
  result_schema: JsonSchema.nullish(),
  success_criteria: SuccessCriteria.nullish(),
  summarize: z.boolean().optional().describe('Default: true.'),
  messaging: AgentMessaging.optional(),
};

export const AgentCreate = z
  .strictObject({
    name: Name,
    system_prompt: Prompt.nullish(),
    first_message: FirstMessage.nullish(),
    language: Language.optional().describe('A BCP 47 language tag. Default: en.'),
    voice: Voice.nullish(),
    llm_model: Model.nullish(),
    tools: AgentTools.optional(),
    max_duration_seconds: MaxDuration.optional().describe(
      'Maximum length of a call of this agent. Default: 600.',
    ),
    ai_disclosure: Disclosure.optional().describe(
      'Whether each call starts with the sentence that the speaker is an AI. Default: true.',
    ),
    ...newFields,
  })
  .meta({ id: 'AgentCreate' });
export type AgentCreate = z.output<typeof AgentCreate>;

export const AgentPatch = z
  .strictObject({
    name: Name.optional(),
    system_prompt: Prompt.nullish(),
    first_message: FirstMessage.nullish(),
    language: Language.optional(),
    voice: Voice.nullish(),
    llm_model: Model.nullish(),
    tools: AgentTools.optional(),
    max_duration_seconds: MaxDuration.optional(),
    ai_disclosure: Disclosure.optional(),
    ...newFields,
  })
  .describe(
    'Fields that are left out keep their value, also those inside engines, limits, voicemail and messaging; null clears a field.',
  )
  .meta({ id: 'AgentPatch' });
export type AgentPatch = z.output<typeof AgentPatch>;

const example: z.input<typeof Agent> = {
  id: '019a8c1e-1a2b-7c3d-8e4f-5a6b7c8d9e0f',
  organization_id: '00000000-0000-0000-0000-000000000000',
  name: 'Front desk',
  system_prompt: 'You book appointments for a dental practice. Be brief and kind.',
  first_message: 'Hello, this is the dental practice. How can I help you?',
  language: 'en',
  voice: null,
  llm_model: null,
  tools: [{ type: 'end_call' }, { type: 'send_digits' }],
  max_duration_seconds: 600,
  ai_disclosure: true,
  version: 1,
  timezone: 'Europe/Berlin',
  variables: { practice: 'Dental practice' },
  engines: default_engines,
  destinations: [],
  limits: default_limits,
  voicemail: default_voicemail,
  result_schema: null,
  success_criteria: null,
  summarize: true,
  messaging: { reply_mode: 'send', reply_delay_seconds: null },
  paused_until: null,
  paused_reason: null,
  created_at: '2026-06-06T12:00:00.000Z',
  updated_at: '2026-06-06T12:00:00.000Z',
};

const agent_errors = [
  'consent_required',
  'destination_not_allowed',
  'provider_not_configured',
  'schema_not_supported',
  'tool_not_found',
  'mcp_server_not_found',
] as const;

const one = { params: z.strictObject({ agent_id: Uuid }) };

export const agents = defineOperations('agents', 'Agents that handle calls and texts on your numbers.', {
  create: {
    method: 'POST',
    path: '/v1/agents',
    summary: 'Add an agent',
    body: AgentCreate,
    body_example: {
      name: 'Front desk',
      system_prompt: 'You book appointments for a dental practice. Be brief and kind.',
      first_message: 'Hello, this is the dental practice. How can I help you?',
      tools: ['end_call'],
    },
    success: { status: 201, body: Agent, example },
    errors: agent_errors,
  },
  list: {
    method: 'GET',
    path: '/v1/agents',
    summary: 'List agents, newest first',
    query: z.strictObject(pageQuery),
    success: {
      status: 200,
      body: pageOf(Agent, 'AgentPage'),
      example: { items: [example], next_cursor: null },
    },
  },
  get: {
    method: 'GET',
    path: '/v1/agents/{agent_id}',
    summary: 'Read one agent',
    ...one,
    success: { status: 200, body: Agent, example },
  },
  update: {
    method: 'PATCH',
    path: '/v1/agents/{agent_id}',
    summary: 'Change an agent',
    ...one,
    body: AgentPatch,
    body_example: { voice: null, ai_disclosure: true },
    success: { status: 200, body: Agent, example },
    errors: [...agent_errors, 'variable_missing'],
  },
  delete: {
    method: 'DELETE',
    path: '/v1/agents/{agent_id}',
    summary: 'Remove an agent',
    description: 'Numbers that use the agent are detached from it.',
    ...one,
    success: { status: 204 },
  },
});
