// Agents: the prompt, voice and tools with which calls and texts are handled for an organization.
import { z } from 'zod';
import { pageOf, pageQuery, Timestamp, Uuid } from './fields.ts';
import { limits } from './limits.ts';
import { defineOperations } from './operation.ts';

/** The actions an agent may take by itself during a conversation. */
export const agentTools = ['end_call', 'send_digits', 'send_sms', 'do_not_contact'] as const;

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
  .describe('The first sentence the agent says on a call.');
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
const Tools = z
  .array(z.enum(agentTools))
  .max(agentTools.length)
  .refine((tools) => new Set(tools).size === tools.length, 'Each tool can be listed once')
  .describe('The actions the agent may take by itself during a call.');
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
    tools: z.array(z.enum(agentTools)),
    max_duration_seconds: z.number().int(),
    ai_disclosure: z.boolean(),
    created_at: Timestamp,
    updated_at: Timestamp,
  })
  .meta({ id: 'Agent' });
export type Agent = z.infer<typeof Agent>;

export const AgentCreate = z
  .strictObject({
    name: Name,
    system_prompt: Prompt.nullish(),
    first_message: FirstMessage.nullish(),
    language: Language.optional().describe('A BCP 47 language tag. Default: en.'),
    voice: Voice.nullish(),
    llm_model: Model.nullish(),
    tools: Tools.optional(),
    max_duration_seconds: MaxDuration.optional().describe(
      'Maximum length of a call of this agent. Default: 600.',
    ),
    ai_disclosure: Disclosure.optional().describe(
      'Whether each call starts with the sentence that the speaker is an AI. Default: true.',
    ),
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
    tools: Tools.optional(),
    max_duration_seconds: MaxDuration.optional(),
    ai_disclosure: Disclosure.optional(),
  })
  .describe('Fields that are left out keep their value; null clears a field.')
  .meta({ id: 'AgentPatch' });
export type AgentPatch = z.output<typeof AgentPatch>;

const example: Agent = {
  id: '019a8c1e-1a2b-7c3d-8e4f-5a6b7c8d9e0f',
  organization_id: '00000000-0000-0000-0000-000000000000',
  name: 'Front desk',
  system_prompt: 'You book appointments for a dental practice. Be brief and kind.',
  first_message: 'Hello, this is the dental practice. How can I help you?',
  language: 'en',
  voice: null,
  llm_model: null,
  tools: ['end_call'],
  max_duration_seconds: 600,
  ai_disclosure: true,
  created_at: '2026-06-06T12:00:00.000Z',
  updated_at: '2026-06-06T12:00:00.000Z',
};

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
