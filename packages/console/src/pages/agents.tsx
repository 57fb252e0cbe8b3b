// Agents: their prompts, voices and tools.
import { Checkbox, Textarea, TextInput } from '@mantine/core';
import type { Agent } from '@parley/sdk';
import { DialogButton } from '../parts/dialog.tsx';
import { FillCommand } from '../parts/fill-command.tsx';
import { Form } from '../parts/form.tsx';
import { Empty, Page } from '../parts/page.tsx';
import { type Column, RecordTable } from '../parts/record-table.tsx';
import { RowActions } from '../parts/row-actions.tsx';
import { Time } from '../parts/time.tsx';
import { parley } from '../session/client.ts';
import { useForm } from '../state/use-form.ts';
import { useList } from '../state/use-list.ts';

const tools = [
  ['end_call', 'End the call'],
  ['send_digits', 'Press keys'],
  ['send_sms', 'Send a text'],
  ['do_not_contact', 'Record that a person does not want to be contacted'],
] as const;

function AgentForm({ agent, close }: { agent?: Agent; close(): void }) {
  const form = useForm(
    {
      name: agent?.name ?? '',
      system_prompt: agent?.system_prompt ?? '',
      first_message: agent?.first_message ?? '',
      language: agent?.language ?? 'en',
      voice: agent?.voice ?? '',
      llm_model: agent?.llm_model ?? '',
      tools: agent?.tools ?? (['end_call'] satisfies Agent['tools']),
      ai_disclosure: agent?.ai_disclosure ?? true,
    },
    ({ system_prompt, first_message, voice, llm_model, ...rest }) => {
      const fields = {
        ...rest,
        system_prompt: system_prompt || null,
        first_message: first_message || null,
        voice: voice || null,
        llm_model: llm_model || null,
      };
      return agent ? parley.agents.update(agent.id, fields) : parley.agents.create(fields);
    },
    { changes: ['agents'], message: ({ name }) => `${name} was saved.`, done: close },
  );
  const allowed = form.fields.tools;
  return (
    <Form action={form} submit={agent ? 'Save agent' : 'Create agent'}>
      <TextInput label="Name" {...form.field('name')} required />
      <Textarea
        label="Instructions"
        description="Its task, its tone and what it should know."
        autosize
        minRows={4}
        maxRows={14}
        {...form.field('system_prompt')}
      />
      <TextInput label="First sentence on a call" {...form.field('first_message')} />
      <div className="grid two">
        <TextInput label="Language" {...form.field('language')} />
        <TextInput label="Voice" placeholder="default of the provider" {...form.field('voice')} />
      </div>
      <TextInput label="Model" placeholder="default of the provider" {...form.field('llm_model')} />
      <fieldset style={{ border: 0, padding: 0, margin: 0 }} className="stack tight">
        <legend>Allowed actions</legend>
        {tools.map(([tool, label]) => (
          <Checkbox
            key={tool}
            label={label}
            checked={allowed.includes(tool)}
            onChange={(event) =>
              form.set({
                tools: event.currentTarget.checked
                  ? [...allowed, tool]
                  : allowed.filter((each) => each !== tool),
              })
            }
          />
        ))}
      </fieldset>
      <Checkbox
        label="Start calls with the sentence that the speaker is an AI"
        {...form.checkbox('ai_disclosure')}
      />
    </Form>
  );
}

const Actions = ({ agent }: { agent: Agent }) => (
  <RowActions
    name={agent.name}
    question={`Delete ${agent.name}? Calls and texts to its numbers will not be answered.`}
    remove={() => parley.agents.delete(agent.id)}
    changes={['agents', 'numbers']}
  >
    {(close) => <AgentForm agent={agent} close={close} />}
  </RowActions>
);

const columns: Column<Agent>[] = [
  { title: 'Name', width: 'minmax(8rem, 1fr)', cell: ({ name }) => <strong>{name}</strong> },
  {
    title: 'Instructions',
    width: 'minmax(10rem, 2fr)',
    wide: true,
    cell: ({ system_prompt }) => <span className="muted">{system_prompt ?? 'nothing'}</span>,
  },
  { title: 'Language', width: '6rem', wide: true, cell: ({ language }) => language },
  { title: 'Updated', width: '7rem', wide: true, cell: ({ updated_at }) => <Time at={updated_at} /> },
  { title: 'Actions', width: '10.5rem', cell: (agent) => <Actions agent={agent} /> },
];

export function AgentsPage() {
  const agents = useList(['agents'], (query) => parley.agents.list(query));
  return (
    <Page
      title="Agents"
      about="They speak on calls and reply to texts to your numbers."
      actions={<DialogButton label="Create an agent">{(close) => <AgentForm close={close} />}</DialogButton>}
    >
      <RecordTable
        label="Agents"
        query={agents}
        columns={columns}
        empty={
          <Empty
            title="No agents yet"
            command={
              <FillCommand
                path="/v1/agents"
                body={{ name: 'Receptionist', system_prompt: 'You answer the phone of a bakery.' }}
              />
            }
          >
            An agent answers your numbers. This creates one:
          </Empty>
        }
      />
    </Page>
  );
}
