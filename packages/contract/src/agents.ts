// Agents: who speaks for the organization on calls and in texts, and how.
import { z } from 'zod';
import { pageOf, pageQuery, Timestamp, Uuid } from './fields.ts';
import { limits } from './limits.ts';
import { defineOperations } from './operation.ts';

/** What an agent may do by itself in the middle of a conversation. */
export const agentTools = ['end_call', 'send_digits', 'send_sms', 'do_not_contact'] as const;

const Name = z.string().trim().min(1, 'Expected a name').max(limits.agent_name_chars);
export const Prompt = z
  .string()
  .max(limits.agent_prompt_chars)
  .describe('What the agent is told about its task.');
export const FirstMessage = z
  .string()
  .trim()
  .min(1)
  .max(limits.agent_first_message_chars)
  .describe('What the agent says first on a call.');
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
  .describe('Name of a voice of the active speech provider.');
const Model = z.string().trim().min(1).max(100).describe('Name of a model of the active llm provider.');
const Tools = z
  .array(z.enum(agentTools))
  .max(agentTools.length)
  .refine((tools) => new Set(tools).size === tools.length, 'Each tool can be named once')
  .describe('What the agent may do by itself during a call.');
const MaxDuration = z.number().int().min(30).max(14_400).describe('Longest call of this agent.');
const Disclosure = z.boolean().describe('Whether a call begins by saying that an AI speaks.');

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
    language: Language.optional().describe('A BCP 47 language tag; en when left out.'),
    voice: Voice.nullish(),
    llm_model: Model.nullish(),
    tools: Tools.optional(),
    max_duration_seconds: MaxDuration.optional().describe('Longest call of this agent; 600 when left out.'),
    ai_disclosure: Disclosure.optional().describe(
      'Whether a call begins by saying that an AI speaks; true when left out.',
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
  .describe('A field left out keeps its value; null clears it.')
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

export const agents = defineOperations('agents', 'Who answers your numbers, and how.', {
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
    description: 'Numbers that the agent answered are detached from it.',
    ...one,
    success: { status: 204 },
  },
});
