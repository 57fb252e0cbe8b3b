// What an agent may do by itself: built-in tools, HTTP tools, MCP servers and tools that your program answers.
import { Checkbox, Switch, TextInput } from '@mantine/core';
import type { Agent, AgentToolEntry } from '@parley/sdk';
import type { ReactNode } from 'react';
import { Form, splitList } from '../../parts/form.tsx';
import { JsonField, jsonText, parseJson } from '../../parts/json-field.tsx';
import { PageLink } from '../../parts/link.tsx';
import { parley } from '../../session/client.ts';
import { useMcpServers, useTools } from '../../state/reads.ts';
import { useStoredForm } from '../../state/use-stored-form.ts';

type BuiltIn = Exclude<AgentToolEntry['type'], 'tool' | 'mcp' | 'client'>;

const built_in: [type: BuiltIn, label: string, about: string][] = [
  ['end_call', 'End the call', 'On calls.'],
  ['send_digits', 'Press keys', 'On calls, for example in menus.'],
  ['transfer_call', 'Transfer the call', 'To a destination of this agent with a phone number.'],
  ['hold', 'Wait on hold', 'On calls, when the other side asks it to wait.'],
  ['send_sms', 'Send a text', 'To the person, or to a destination.'],
  ['send_email', 'Send an email', 'To the person if their contact has an address, or to a destination.'],
  ['do_not_contact', 'Stop contacting the person', 'When they ask for it.'],
  ['hand_to_human', 'Hand over to a person', 'In texts and emails: it stops replying.'],
  ['finish', 'Close the conversation', 'In texts and emails.'],
];

type ToolForm = {
  tools: AgentToolEntry[];
  set(tools: AgentToolEntry[]): void;
  /** A tool that is switched off and on again keeps what the form does not show, such as its approval. */
  saved: readonly AgentToolEntry[];
};

const toggled = (
  { tools, set, saved }: ToolForm,
  entry: AgentToolEntry,
  isSame: (each: AgentToolEntry) => boolean,
) => ({
  checked: tools.some(isSame),
  onChange: () =>
    set(tools.some(isSame) ? tools.filter((each) => !isSame(each)) : [...tools, saved.find(isSame) ?? entry]),
});

const Group = ({ label, children }: { label: string; children: ReactNode }) => (
  <fieldset className="plain stack tight">
    <legend>{label}</legend>
    {children}
  </fieldset>
);

function TextConsent({ tools, set }: ToolForm) {
  const entry = tools.find((each) => each.type === 'send_sms');
  if (entry?.type !== 'send_sms') return null;
  return (
    <Checkbox
      ml="xl"
      label="People have already agreed to texts"
      description="You confirm it. Otherwise the agent must quote the words with which the person agreed."
      checked={entry.consent === 'configured'}
      onChange={(event) => {
        const consent = event.currentTarget.checked ? 'configured' : 'quote';
        set(tools.map((each) => (each === entry ? { ...entry, consent } : each)));
      }}
    />
  );
}

const BuiltInTools = (form: ToolForm) => (
  <Group label="Built in">
    {built_in.map(([type, label, about]) => (
      <div key={type} className="stack tight">
        <Switch
          label={label}
          description={about}
          {...toggled(form, { type }, (each) => each.type === type)}
        />
        {type === 'send_sms' && <TextConsent {...form} />}
      </div>
    ))}
  </Group>
);

function HttpTools(form: ToolForm) {
  const stored_tools = useTools().data;
  const listed = form.tools.flatMap((each) => (each.type === 'tool' ? [each.tool_id] : []));
  const deleted = stored_tools ? listed.filter((id) => stored_tools.every((tool) => tool.id !== id)) : [];
  const offered = [
    ...(stored_tools ?? []).map(({ id, name, description }) => ({ id, name, description })),
    ...deleted.map((id) => ({ id, name: 'A deleted tool', description: id })),
  ];
  return (
    <Group label="HTTP tools">
      {stored_tools && offered.length === 0 && (
        <span className="small muted">
          None yet. <PageLink to="/tools">Create one</PageLink>
        </span>
      )}
      {offered.map(({ id, name, description }) => (
        <Checkbox
          key={id}
          label={name}
          description={description}
          {...toggled(
            form,
            { type: 'tool', tool_id: id },
            (each) => each.type === 'tool' && each.tool_id === id,
          )}
        />
      ))}
    </Group>
  );
}

function McpTools(form: ToolForm) {
  const servers = useMcpServers().data ?? [];
  const entries = form.tools.flatMap((each) => (each.type === 'mcp' ? [each] : []));
  const deleted = entries.filter(({ server_id }) => servers.every(({ id }) => id !== server_id));
  if (servers.length === 0 && deleted.length === 0) return null;
  const isOf = (id: string) => (each: AgentToolEntry) => each.type === 'mcp' && each.server_id === id;
  const limit = (server_id: string, text: string) => {
    const only = splitList(text);
    const entry: AgentToolEntry = { type: 'mcp', server_id, ...(only.length > 0 ? { only } : {}) };
    form.set(form.tools.map((each) => (isOf(server_id)(each) ? entry : each)));
  };
  return (
    <Group label="MCP servers">
      {servers.map(({ id, name, allow }) => {
        const entry = entries.find(({ server_id }) => server_id === id);
        return (
          <div key={id} className="stack tight">
            <Checkbox
              label={name}
              description={
                allow.length > 0 ? allow.map((tool) => tool.name).join(', ') : 'No tool of it is allowed yet.'
              }
              {...toggled(form, { type: 'mcp', server_id: id }, isOf(id))}
            />
            {entry && (
              <TextInput
                ml="xl"
                size="xs"
                label={`Only these tools of ${name}`}
                placeholder="all that are allowed"
                defaultValue={(entry.only ?? []).join(', ')}
                onChange={(event) => limit(id, event.currentTarget.value)}
              />
            )}
          </div>
        );
      })}
      {deleted.map(({ server_id }) => (
        <Checkbox
          key={server_id}
          label="A deleted MCP server"
          description={server_id}
          {...toggled(form, { type: 'mcp', server_id }, isOf(server_id))}
        />
      ))}
    </Group>
  );
}

const clientTools = (tools: AgentToolEntry[]) =>
  tools.flatMap((each) => {
    if (each.type !== 'client') return [];
    const { type: _, ...tool } = each;
    return [tool];
  });

export function ToolsForm({ agent }: { agent: Agent }) {
  const own = clientTools(agent.tools);
  const form = useStoredForm(
    {
      tools: agent.tools.filter(({ type }) => type !== 'client'),
      client_tools: own.length === 0 ? '' : jsonText(own),
    },
    async ({ tools, client_tools }) => {
      const client = parseJson<typeof own>(client_tools, 'Tools that your program answers', []);
      return parley.agents.update(agent.id, {
        tools: [...tools, ...client.map((tool) => ({ ...tool, type: 'client' as const }))],
      });
    },
    { draft: `${agent.id}/tools`, changes: ['agents'], message: 'The tools are saved.' },
  );
  const tool_form = {
    tools: form.fields.tools,
    set: (tools: AgentToolEntry[]) => form.set({ tools }),
    saved: agent.tools,
  };
  return (
    <Form action={form} submit="Save tools">
      <BuiltInTools {...tool_form} />
      <HttpTools {...tool_form} />
      <McpTools {...tool_form} />
      <JsonField
        label="Tools that your program answers"
        description="A JSON list of name, description and parameters. Your program answers the event call.tool_requested."
        placeholder='[{"name": "open_ticket", "description": "…", "parameters": {"type": "object"}}]'
        {...form.field('client_tools')}
      />
    </Form>
  );
}
