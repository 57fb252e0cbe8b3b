// The parts of an agent that calls can override: tools, destinations, engines, variables, limits, voicemail, messaging.
import { z } from 'zod';
import { limits } from '../limits.ts';
import { Consent, EmailAddress, exceedsBytes, PhoneNumber, Uuid } from '../schema/fields.ts';
import { JsonSchema } from '../schema/subset/schema-subset.ts';

/*
 * Requests and answers share these schemas, so every field with a default is optional in them. The service stores the
 * complete values that the functions in agent-defaults.ts return.
 */

type Complete<T> = { [Key in keyof T]-?: Exclude<T[Key], undefined> };

const plainTools = [
  'end_call',
  'send_digits',
  'transfer_call',
  'do_not_contact',
  'hold',
  'hand_to_human',
  'finish',
] as const;
/** Tools that the service itself runs. */
export const builtInTools = [...plainTools, 'send_sms', 'send_email'] as const;
export type BuiltInTool = (typeof builtInTools)[number];

export const toolEffects = ['read', 'act'] as const;
export const ToolApproval = z
  .enum(['none', 'required'])
  .describe('required: a person approves each call, see GET /v1/approvals. Default: none.')
  .meta({ id: 'ToolApproval' });
export type ToolApproval = z.output<typeof ToolApproval>;

const tool_name = /^[a-z][a-z0-9_]{0,47}$/;
/** Names that a tool of an organization cannot have: those of the service, now or planned. */
export const reservedToolNames: readonly string[] = [
  ...builtInTools,
  'hang_up',
  'leave_voicemail',
  'place_call',
  'cancel_transfer',
  'report',
];
export const ToolName = z
  .string()
  .regex(tool_name, 'Expected lower-case letters, digits and _, such as check_slots')
  .refine((name) => !reservedToolNames.includes(name), 'This name belongs to a built-in tool');

const Sentence = z.string().trim().min(1).max(limits.tool_sentence_chars);
export const ToolSpeech = z
  .strictObject({
    start: Sentence.nullish().describe('Said after 700 ms. Default: a short phrase.'),
    slow_after_ms: z.int().min(1000).max(20_000).optional().describe('Default: 2500.'),
    slow: z.array(Sentence).max(5).optional().describe('Said while the tool still runs.'),
    failed: Sentence.nullish().describe('Said when the tool failed.'),
  })
  .describe('What the agent says while a tool runs.')
  .meta({ id: 'ToolSpeech' });
export type ToolSpeech = Complete<z.output<typeof ToolSpeech>>;

export const ClientTool = z.strictObject({
  type: z.literal('client'),
  name: ToolName,
  description: z.string().trim().min(1).max(limits.tool_description_chars),
  parameters: JsonSchema.describe('The arguments that the model writes.'),
  effect: z.enum(toolEffects).optional().describe('Default: act.'),
  timeout_ms: z.int().min(2000).max(60_000).optional().describe('Default: 10000.'),
  speech: ToolSpeech.nullish(),
  approval: ToolApproval.optional(),
});

export const AgentToolEntry = z
  .discriminatedUnion('type', [
    z.strictObject({ type: z.enum(plainTools) }),
    z.strictObject({
      type: z.literal('send_sms'),
      consent: z
        .enum(['quote', 'configured'])
        .optional()
        .describe('quote (default): the person must agree in words. configured: you confirm that they did.'),
      approval: ToolApproval.optional(),
    }),
    z.strictObject({ type: z.literal('send_email'), approval: ToolApproval.optional() }),
    z.strictObject({ type: z.literal('tool'), tool_id: Uuid }),
    z.strictObject({
      type: z.literal('mcp'),
      server_id: Uuid,
      only: z
        .array(z.string().min(1).max(128))
        .min(1)
        .max(limits.agent_tool_names)
        .optional()
        .describe('Default: all tools that the server record allows.'),
    }),
    ClientTool,
  ])
  .meta({ id: 'AgentToolEntry' });
export type AgentToolEntry = z.infer<typeof AgentToolEntry>;

/** What two entries of one list may not have in common. */
const entryKey = (tool: AgentToolEntry): string => {
  if (tool.type === 'tool') return tool.tool_id;
  if (tool.type === 'mcp') return tool.server_id;
  return tool.type === 'client' ? tool.name : tool.type;
};

export const AgentTools = z
  .array(z.union([z.enum(builtInTools).transform((type) => AgentToolEntry.parse({ type })), AgentToolEntry]))
  .max(limits.agent_tools)
  .refine((tools) => new Set(tools.map(entryKey)).size === tools.length, 'Each tool can be listed once')
  .describe(
    'What the agent may do by itself. The name of a built-in tool stands for {"type": name}. Default: end_call and send_digits.',
  )
  .meta({ id: 'AgentTools' });

const variable_name = /^[a-z][a-z0-9_]{0,39}$/;
/** Variables that every conversation has. */
export const reservedVariables = [
  'now',
  'date',
  'weekday',
  'time',
  'call_id',
  'conversation_id',
  'person',
  'own',
  'direction',
  'contact_name',
] as const;
const isReserved = (name: string) => (reservedVariables as readonly string[]).includes(name);

export const AgentVariables = z
  .record(
    z.string().regex(variable_name, 'Expected lower-case letters, digits and _, such as first_name'),
    z.union([z.string().max(limits.variable_chars), z.number(), z.boolean()]),
  )
  .refine(
    (variables) => Object.keys(variables).length <= limits.variables,
    `Expected at most ${limits.variables} variables`,
  )
  .refine(
    (variables) => !exceedsBytes(JSON.stringify(variables), limits.variables_bytes),
    `Expected at most ${limits.variables_bytes} bytes of JSON`,
  )
  .superRefine((variables, context) => {
    for (const name of Object.keys(variables).filter(isReserved))
      context.addIssue({ code: 'custom', path: [name], message: 'This name is reserved' });
  })
  .describe('Values for {{name}} and {{name|fallback}} in the prompt and other texts.')
  .meta({ id: 'AgentVariables' });
export type AgentVariables = Record<string, string | number | boolean>;

export const TransferOptions = z
  .strictObject({
    mode: z.enum(['warm', 'blind']).optional().describe('warm (default): the colleague is briefed first.'),
    brief: z
      .string()
      .trim()
      .min(1)
      .max(limits.transfer_brief_chars)
      .optional()
      .describe('summary (default), none, or a text.'),
    accept: z.enum(['yes_or_1', 'none']).optional().describe('Default: yes_or_1.'),
    ring_timeout_seconds: z.int().min(5).max(60).optional().describe('Default: 25.'),
    on_failure: z
      .enum(['return', 'end_call', 'next'])
      .optional()
      .describe('Default: return. next: tries the one in then.'),
    announce: Sentence.nullish().describe('Said to the person.'),
    then: z.string().max(32).nullish().describe('The destination to try next.'),
  })
  .meta({ id: 'TransferOptions' });
export type TransferOptions = Complete<z.output<typeof TransferOptions>>;

export const AgentDestination = z
  .strictObject({
    name: z
      .string()
      .regex(/^[a-z][a-z0-9_]{0,31}$/, 'Expected lower-case letters, digits and _, such as billing')
      .refine((name) => name !== 'person', 'person stands for the other party')
      .describe('What the model uses.'),
    description: z.string().trim().max(limits.destination_description_chars).optional(),
    phone: PhoneNumber.nullish().meta({ json_schema: { type: ['string', 'null'] } }),
    email: EmailAddress.nullish(),
    recipient_consent: Consent,
    transfer: TransferOptions.optional(),
  })
  .describe('Besides the other party, an agent can contact only its destinations.')
  .meta({ id: 'AgentDestination' });
type Destination = Complete<z.output<typeof AgentDestination>>;
export type AgentDestination = Omit<Destination, 'recipient_consent' | 'transfer'> & {
  recipient_consent: true;
  transfer: TransferOptions;
};

export const AgentLimits = z
  .strictObject({
    tool_calls: z.int().min(0).max(100).optional().describe('Default: 30.'),
    texts: z.int().min(0).max(10).optional().describe('Default: 3.'),
    emails: z.int().min(0).max(10).optional().describe('Default: 2.'),
    transfers: z.int().min(0).max(5).optional().describe('Default: 3.'),
    hold_seconds: z.int().min(0).max(1800).optional().describe('Default: 600.'),
  })
  .describe('How much the agent may do in one conversation.')
  .meta({ id: 'AgentLimits' });
export type AgentLimits = Complete<z.output<typeof AgentLimits>>;

const Relay = z
  .strictObject({
    url: z
      .string()
      .max(2048)
      .regex(/^wss?:\/\//, 'Expected a WebSocket address such as wss://relay.example.com/call'),
    secret: z.string().min(8).max(200).optional().describe('Signs the handshake. Never returned.'),
    parameters: z.record(z.string().max(64), z.string().max(500)).optional(),
    dtmf: z.boolean().optional().describe('Whether it gets pressed keys. Default: true.'),
    partial_prompts: z
      .boolean()
      .optional()
      .describe('Whether it gets words while they are spoken. Default: false.'),
    interruptible: z.enum(['any', 'speech', 'dtmf', 'none']).optional().describe('Default: any.'),
    fallback: z.boolean().optional().describe('Whether the model takes over when it fails. Default: false.'),
    on_end: z
      .strictObject({ transfer: z.string().max(32).nullish() })
      .optional()
      .describe('The destination to which a call is transferred when the relay ends it with handoffData.'),
  })
  .describe('Your own program that converses in place of a model, with ConversationRelay frames.')
  .meta({ id: 'AgentRelay' });
export type AgentRelay = z.output<typeof Relay>;

const Provider = z.string().trim().min(1).max(40).describe('A provider that is set for the organization.');
export const AgentEngines = z
  .strictObject({
    llm: z
      .strictObject({
        provider: Provider,
        temperature: z.number().min(0).max(2).optional(),
        max_output_tokens: z.int().min(16).max(4000).optional(),
      })
      .nullish(),
    stt: z
      .strictObject({
        provider: Provider,
        model: z.string().trim().min(1).max(100).nullish(),
        keywords: z.array(z.string().trim().min(1).max(60)).max(50).optional(),
      })
      .nullish(),
    tts: z.strictObject({ provider: Provider, speed: z.number().min(0.5).max(2).optional() }).nullish(),
    relay: Relay.nullish(),
  })
  .describe('Providers; null: the active one. Options that an engine does not have are ignored.')
  .meta({ id: 'AgentEngines' });
export type AgentEngines = Complete<z.output<typeof AgentEngines>>;

export const AgentVoicemail = z
  .strictObject({
    action: z.enum(['leave_message', 'hang_up']).optional().describe('Default: leave_message.'),
    message: z
      .string()
      .trim()
      .min(1)
      .max(limits.agent_first_message_chars)
      .nullish()
      .describe('Default: first_message, else words of the model.'),
  })
  .describe('What happens when an answering machine answers.')
  .meta({ id: 'AgentVoicemail' });
export type AgentVoicemail = Complete<z.output<typeof AgentVoicemail>>;

const TimeOfDay = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'Expected a time such as 21:00');
export const AgentMessaging = z
  .strictObject({
    reply_mode: z
      .enum(['send', 'approve', 'approve_first'])
      .optional()
      .describe(
        'Default: send. approve: replies wait for an approval. approve_first: the first one to a stranger does.',
      ),
    reply_delay_seconds: z.int().min(0).max(600).nullish().describe('Default: 3 for texts, 30 for emails.'),
    replies_per_hour: z.int().min(1).max(60).optional().describe('Per conversation. Default: 10.'),
    replies_per_day: z.int().min(1).max(200).optional().describe('Per conversation. Default: 20.'),
    human_pause_minutes: z
      .int()
      .min(0)
      .max(10_080)
      .optional()
      .describe('Silence after a person wrote. Default: 60.'),
    quiet_hours: z
      .strictObject({ from: TimeOfDay, to: TimeOfDay, applies_to: z.enum(['initiated', 'all']).optional() })
      .nullish()
      .describe('When the agent may write. Default: always.'),
    history_messages: z.int().min(1).max(100).optional().describe('Default: 30.'),
    include_calls: z.boolean().optional().describe('Default: true.'),
    link_hosts: z
      .array(
        z
          .string()
          .trim()
          .toLowerCase()
          .max(253)
          .regex(
            /^([a-z0-9_]([a-z0-9_-]*[a-z0-9_])?\.)+[a-z0-9-]{2,63}$/,
            'Expected a host such as example.com',
          ),
      )
      .max(20)
      .optional()
      .describe('Hosts of links that the agent may write. Default: none.'),
    fallback_message: z.string().trim().min(1).max(limits.sms_body_chars).nullish(),
    hand_over_to: z
      .string()
      .max(32)
      .nullish()
      .describe(
        'A destination with an email. It is told when no person answers for 15 minutes after hand_to_human.',
      ),
  })
  .describe('How the agent answers texts and emails.')
  .meta({ id: 'AgentMessaging' });
type Messaging = Complete<z.output<typeof AgentMessaging>>;
export type AgentMessaging = Omit<Messaging, 'quiet_hours'> & {
  quiet_hours: Complete<NonNullable<Messaging['quiet_hours']>> | null;
};
