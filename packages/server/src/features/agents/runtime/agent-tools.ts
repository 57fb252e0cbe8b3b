// The tools of an agent in one conversation, from the entries of its configuration.
import type { AgentDestination, AgentLimits, AgentToolEntry } from '@parley/contract/agents/agent-fields';
import type { AgentTool, ToolContext } from './agent-tool.ts';
import {
  doNotContactTool,
  type RefusalToolDeps,
  type RefusalToolSetup,
} from './built-in/do-not-contact-tool.ts';
import { type MessageToolDeps, sendEmailTool, sendSmsTool } from './built-in/message-tools.ts';
import type { ClientAnswers } from './client-tools/client-answers.ts';
import { clientTool } from './client-tools/client-tool.ts';

/** The values of {{name}} in this conversation; null where there is none. */
export type ToolVariables = Readonly<Record<string, string | number | boolean | null>>;

/** Tools of other features, for example over HTTP: returns those that the entries name. */
export type ToolSource = (
  entries: readonly AgentToolEntry[],
  context: ToolContext,
  variables: ToolVariables,
) => Promise<readonly AgentTool[]>;

export type AgentToolDeps = MessageToolDeps &
  RefusalToolDeps & {
    answers: Pick<ClientAnswers, 'wait'>;
    sources: readonly ToolSource[];
    /** Whether everything that agents of the organization do needs an approval. */
    coverActs(organization_id: string): Promise<boolean>;
  };

export type AgentToolSetup = Omit<RefusalToolSetup, 'context'> & {
  tools: readonly AgentToolEntry[];
  destinations: readonly AgentDestination[];
  limits: AgentLimits;
  variables: ToolVariables;
  context: ToolContext;
};

/** Channels on which each of these tools makes sense: one does not text somebody in a text. */
const text_channels: readonly string[] = ['call', 'email'];
const email_channels: readonly string[] = ['call', 'sms'];

/** Without the tools that belong to the channel itself, such as those of a phone line. */
export async function agentTools(deps: AgentToolDeps, setup: AgentToolSetup): Promise<AgentTool[]> {
  const { tools: entries, context, variables } = setup;
  const own_tools = await Promise.all(entries.map((entry) => ownTool(deps, setup, entry)));
  const others = await Promise.all(deps.sources.map((source) => source(entries, context, variables)));
  const all = own_tools.filter((tool) => tool !== null).concat(others.flat());
  const is_covered = await deps.coverActs(context.organization_id);
  const tools = all.map((tool) =>
    is_covered && tool.effect === 'act' ? { ...tool, approval: 'required' as const } : tool,
  );
  // A person can always refuse further contact, whatever the agent may do otherwise.
  const refusal = doNotContactTool(deps, setup);
  return refusal ? [refusal, ...tools] : tools;
}

async function ownTool(
  deps: AgentToolDeps,
  setup: AgentToolSetup,
  entry: AgentToolEntry,
): Promise<AgentTool | null> {
  const { context } = setup;
  if (entry.type === 'send_sms' && text_channels.includes(context.channel))
    return sendSmsTool(deps, setup, entry);
  if (entry.type === 'send_email' && email_channels.includes(context.channel))
    return sendEmailTool(deps, setup, entry);
  if (entry.type === 'client') return clientTool(deps.answers, context, entry);
  return null;
}
