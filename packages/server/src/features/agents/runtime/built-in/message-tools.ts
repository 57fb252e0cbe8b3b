// The tools that write to people: only to the other party or to a destination that the agent's configuration names.
import type { AgentDestination, AgentToolEntry } from '@parley/contract/agents/agent-fields';
import { ApiError } from '../../../../platform/http/api-error.ts';
import type { IdempotentRequest } from '../../../../platform/idempotency.ts';
import { type AgentTool, failed, type ToolContext, type ToolOutcome } from '../agent-tool.ts';
import { builtInTool, done } from './built-in-tool.ts';
import { isQuoted } from './consent-quote.ts';
import { linkProblem } from './link-hosts.ts';

/** What was stored: queued or sent, or held back by a rule, for example until a person approves it. */
export type WrittenMessage = { id: string; held_for: string | null };

type Message = {
  organization_id: string;
  agent_id: string | null;
  /** The call in which it is sent. */
  call_id: string | null;
  to: string;
  metadata: Record<string, unknown>;
};

/** Sends as the agent, through the rules of the organization. Throws an ApiError for what the rules refuse. */
export type MessageSender = {
  /** `own`: our number in the conversation, used when it can text. */
  sendText(message: Message & { own: string | null; body: string }): Promise<WrittenMessage>;
  /** `idempotency`: a second call with the same key throws, because the email exists. */
  sendEmail(
    message: Message & { subject: string; body: string; idempotency?: IdempotentRequest },
  ): Promise<WrittenMessage>;
  /** The contact of the organization with this number or address. */
  contactOf(
    organization_id: string,
    party: string,
  ): Promise<{ phone_e164: string | null; email: string | null } | null>;
};

export type MessageToolDeps = {
  messages: MessageSender;
  /** How many calls of this tool were not refused: in this conversation, and by this agent within an hour. */
  countUses(
    context: ToolContext,
    name: string,
    but_tool_call_id: string,
  ): Promise<{ in_conversation: number; by_agent: number }>;
  /** The hosts of links that the agent may write. */
  linkHosts(context: ToolContext): Promise<readonly string[]>;
};

export type MessageToolSetup = {
  destinations: readonly AgentDestination[];
  limits: { texts: number; emails: number };
  context: ToolContext;
  /** What the other party said or wrote last. */
  personTurns(): readonly string[];
};

const calls_per_hour = 60;
const max_text_chars = 640;
const max_subject_chars = 200;
const max_email_chars = 10_000;
const send_timeout_ms = 20_000;
const person = 'person';

/** The recipients by the name that the model uses. Nothing else can be reached. */
type Recipients = ReadonlyMap<string, string>;

const recipientsOf = (
  of_person: string | null,
  destinations: readonly AgentDestination[],
  address: 'phone' | 'email',
): Recipients =>
  new Map([
    ...(of_person === null ? [] : [[person, of_person] as const]),
    ...destinations.flatMap((each) => {
      const to = each[address];
      return to ? [[each.name, to] as const] : [];
    }),
  ]);

/** An approval is not valid when a name means another person. */
const identityOf = (recipients: Recipients): string => JSON.stringify([...recipients]);

const toProperty = (recipients: Recipients) => ({
  type: 'string',
  enum: [...recipients.keys()],
  description: 'person is the other party of this conversation.',
});

/** Null when the person has no number that can be texted. */
export async function sendSmsTool(
  deps: MessageToolDeps,
  setup: MessageToolSetup,
  entry: Extract<AgentToolEntry, { type: 'send_sms' }>,
): Promise<AgentTool | null> {
  const { context } = setup;
  const recipients = recipientsOf(await phoneOf(deps, context), setup.destinations, 'phone');
  if (recipients.size === 0) return null;
  const needs_quote = entry.consent !== 'configured' && recipients.has(person);
  return builtInTool({
    name: 'send_sms',
    approval: entry.approval,
    identity: identityOf(recipients),
    description: needs_quote
      ? 'Sends a text message. Ask the person first whether they want it, and quote the words with which they agreed.'
      : 'Sends a text message.',
    properties: {
      to: toProperty(recipients),
      body: { type: 'string', minLength: 1, maxLength: max_text_chars },
      ...(needs_quote
        ? {
            consent_quote: {
              type: 'string',
              description: 'For person: their own words with which they agreed to a text, exactly.',
            },
          }
        : {}),
    },
    required: ['to', 'body'],
    timeout_ms: send_timeout_ms,
    async run({ tool_call_id, arguments: input }) {
      const { to, body, consent_quote } = input as { to: string; body: string; consent_quote?: string };
      if (to === person && needs_quote && !isQuoted(consent_quote, setup.personTurns())) {
        return failed(
          'not_allowed',
          'consent_quote must be words with which the person agreed, in one of their last 5 turns. Ask them first.',
        );
      }
      const refused = await linkRefusal(deps, context, body);
      if (refused) return refused;
      const over = await limitReached(deps, context, 'send_sms', setup.limits.texts, tool_call_id);
      if (over) return over;
      const metadata = metadataOf(context, tool_call_id, to === person && needs_quote ? consent_quote : null);
      return written(() =>
        deps.messages.sendText({ ...senderOf(context), to: recipients.get(to)!, body, metadata }),
      );
    },
  });
}

/** Null when the person has no known address. */
export async function sendEmailTool(
  deps: MessageToolDeps,
  setup: MessageToolSetup,
  { approval }: Extract<AgentToolEntry, { type: 'send_email' }>,
): Promise<AgentTool | null> {
  const { context } = setup;
  const recipients = recipientsOf(await emailOf(deps, context), setup.destinations, 'email');
  if (recipients.size === 0) return null;
  return builtInTool({
    name: 'send_email',
    approval,
    identity: identityOf(recipients),
    description: 'Sends an email.',
    properties: {
      to: toProperty(recipients),
      subject: { type: 'string', minLength: 1, maxLength: max_subject_chars },
      body: { type: 'string', minLength: 1, maxLength: max_email_chars, description: 'Plain text.' },
    },
    required: ['to', 'subject', 'body'],
    timeout_ms: send_timeout_ms,
    async run({ tool_call_id, arguments: input }) {
      const { to, subject, body } = input as { to: string; subject: string; body: string };
      const refused = await linkRefusal(deps, context, `${subject}\n${body}`);
      if (refused) return refused;
      const over = await limitReached(deps, context, 'send_email', setup.limits.emails, tool_call_id);
      if (over) return over;
      const metadata = metadataOf(context, tool_call_id, null);
      // A line break would start another header field.
      const line = subject.replaceAll(/\p{Cc}+/gu, ' ');
      const message = { ...senderOf(context), to: recipients.get(to)!, subject: line, body, metadata };
      return written(() => deps.messages.sendEmail(message));
    },
  });
}

/** A person is texted at the number of the conversation, or at that of the contact with this address. */
async function phoneOf({ messages }: MessageToolDeps, context: ToolContext): Promise<string | null> {
  if (context.person === null) return null;
  if (context.channel !== 'email') return context.person.startsWith('+') ? context.person : null;
  return (await messages.contactOf(context.organization_id, context.person))?.phone_e164 ?? null;
}

async function emailOf({ messages }: MessageToolDeps, context: ToolContext): Promise<string | null> {
  if (context.person === null) return null;
  if (context.channel === 'email') return context.person;
  return (await messages.contactOf(context.organization_id, context.person))?.email ?? null;
}

const senderOf = ({ organization_id, agent_id, call_id, own }: ToolContext) => ({
  organization_id,
  agent_id,
  call_id,
  own: own?.startsWith('+') ? own : null,
});

/** The quote is stored with the message as evidence of the consent. */
const metadataOf = (
  context: ToolContext,
  tool_call_id: string,
  consent_quote: string | null | undefined,
) => ({
  ...(context.agent_id === null ? {} : { agent_id: context.agent_id }),
  ...(context.call_id === null ? {} : { call_id: context.call_id }),
  tool_call_id,
  ...(consent_quote ? { consent_quote: consent_quote.slice(0, 500) } : {}),
});

/** The model may correct its text and call the tool again. */
async function linkRefusal(
  deps: MessageToolDeps,
  context: ToolContext,
  text: string,
): Promise<ToolOutcome | null> {
  const problem = linkProblem(text, await deps.linkHosts(context));
  return problem === null ? null : failed('not_allowed', problem);
}

async function limitReached(
  deps: MessageToolDeps,
  context: ToolContext,
  name: string,
  limit: number,
  tool_call_id: string,
): Promise<ToolOutcome | null> {
  const used = await deps.countUses(context, name, tool_call_id);
  if (used.in_conversation >= limit) {
    return failed('limit_reached', `At most ${limit} calls of ${name} are allowed in one conversation.`);
  }
  return used.by_agent >= calls_per_hour
    ? failed('limit_reached', `The agent used ${name} ${calls_per_hour} times within an hour.`)
    : null;
}

async function written(send: () => Promise<WrittenMessage>): Promise<ToolOutcome> {
  try {
    const { held_for } = await send();
    if (held_for === null) return done('sent');
    return done(
      JSON.stringify({
        status: 'held',
        detail: `Not sent yet: it waits for ${held_for}. Do not send it again.`,
      }),
    );
  } catch (error) {
    if (error instanceof ApiError) return failed('not_allowed', `${error.code}: ${error.message}`);
    throw error;
  }
}
