// Agents: who speaks and answers, and what they are told.
import { Checkbox, Textarea, TextInput } from '@mantine/core';
import type { Agent } from '@parley/sdk';
import { useState } from 'react';
import { ConfirmButton, Dialog, DialogButton } from '../parts/dialog.tsx';
import { FillCommand } from '../parts/fill-command.tsx';
import { Form } from '../parts/form.tsx';
import { Empty, Page } from '../parts/page.tsx';
import { type Column, RecordTable } from '../parts/record-table.tsx';
import { RowButton } from '../parts/row-button.tsx';
import { Time } from '../parts/time.tsx';
import { parley } from '../session/client.ts';
import { useAction } from '../state/use-action.tsx';
import { useList } from '../state/use-list.ts';

const tools = [
  ['end_call', 'End the call'],
  ['send_digits', 'Press keys'],
  ['send_sms', 'Send a text'],
  ['do_not_contact', 'Note that somebody wants no more contact'],
] as const;

function AgentForm({ agent, close }: { agent?: Agent; close(): void }) {
  const [name, setName] = useState(agent?.name ?? '');
  const [system_prompt, setPrompt] = useState(agent?.system_prompt ?? '');
  const [first_message, setFirst] = useState(agent?.first_message ?? '');
  const [language, setLanguage] = useState(agent?.language ?? 'en');
  const [voice, setVoice] = useState(agent?.voice ?? '');
  const [llm_model, setModel] = useState(agent?.llm_model ?? '');
  const [allowed, setAllowed] = useState<Agent['tools']>(agent?.tools ?? ['end_call']);
  const [ai_disclosure, setDisclosure] = useState(agent?.ai_disclosure ?? true);
  const save = useAction(
    () => {
      const fields = {
        name,
        system_prompt: system_prompt || null,
        first_message: first_message || null,
        language,
        voice: voice || null,
        llm_model: llm_model || null,
        tools: allowed,
        ai_disclosure,
      };
      return agent ? parley.agents.update(agent.id, fields) : parley.agents.create(fields);
    },
    { changes: ['agents'], says: ({ name }) => `${name} is saved.`, done: close },
  );
  return (
    <Form
      action={save}
      onSend={() => save.run(undefined)}
      submit={agent ? 'Save the agent' : 'Make the agent'}
    >
      <TextInput
        label="Name"
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
        error={save.fieldError('name')}
        required
      />
      <Textarea
        label="What it is told"
        description="Its task, its manner and what it should know."
        autosize
        minRows={4}
        maxRows={14}
        value={system_prompt}
        onChange={(event) => setPrompt(event.currentTarget.value)}
        error={save.fieldError('system_prompt')}
      />
      <TextInput
        label="First words on a call"
        value={first_message}
        onChange={(event) => setFirst(event.currentTarget.value)}
      />
      <div className="grid two">
        <TextInput
          label="Language"
          value={language}
          onChange={(event) => setLanguage(event.currentTarget.value)}
          error={save.fieldError('language')}
        />
        <TextInput
          label="Voice"
          placeholder="that of the provider"
          value={voice}
          onChange={(event) => setVoice(event.currentTarget.value)}
        />
      </div>
      <TextInput
        label="Model"
        placeholder="that of the provider"
        value={llm_model}
        onChange={(event) => setModel(event.currentTarget.value)}
      />
      <fieldset style={{ border: 0, padding: 0, margin: 0 }} className="stack tight">
        <legend>May by itself</legend>
        {tools.map(([tool, label]) => (
          <Checkbox
            key={tool}
            label={label}
            checked={allowed.includes(tool)}
            onChange={(event) =>
              setAllowed(
                event.currentTarget.checked ? [...allowed, tool] : allowed.filter((each) => each !== tool),
              )
            }
          />
        ))}
      </fieldset>
      <Checkbox
        label="Begin calls by saying that an AI speaks"
        checked={ai_disclosure}
        onChange={(event) => setDisclosure(event.currentTarget.checked)}
      />
    </Form>
  );
}

function Acts({ agent }: { agent: Agent }) {
  const [is_open, setOpen] = useState(false);
  const remove = useAction(() => parley.agents.delete(agent.id), {
    changes: ['agents', 'numbers'],
    says: `${agent.name} is deleted.`,
    loud: true,
  });
  return (
    <span className="row" style={{ flexWrap: 'nowrap' }}>
      <RowButton onClick={() => setOpen(true)} aria-label={`Change ${agent.name}`}>
        Change
      </RowButton>
      <Dialog title={`Change ${agent.name}`} opened={is_open} onClose={() => setOpen(false)}>
        <AgentForm agent={agent} close={() => setOpen(false)} />
      </Dialog>
      <ConfirmButton
        size="row"
        label="Delete"
        question={`Delete ${agent.name}? Numbers it answers are then answered by nobody.`}
        busy={remove.busy}
        onSure={() => remove.run(undefined)}
      />
    </span>
  );
}

const columns: Column<Agent>[] = [
  { title: 'Name', width: 'minmax(8rem, 1fr)', cell: ({ name }) => <strong>{name}</strong> },
  {
    title: 'Told',
    width: 'minmax(10rem, 2fr)',
    wide: true,
    cell: ({ system_prompt }) => <span className="muted">{system_prompt ?? 'nothing'}</span>,
  },
  { title: 'Language', width: '6rem', wide: true, cell: ({ language }) => language },
  { title: 'Changed', width: '7rem', wide: true, cell: ({ updated_at }) => <Time at={updated_at} /> },
  { title: 'Actions', width: '10.5rem', cell: (agent) => <Acts agent={agent} /> },
];

export function AgentsPage() {
  const agents = useList(['agents'], (query) => parley.agents.list(query));
  return (
    <Page
      title="Agents"
      about="Who speaks on calls and answers texts to your numbers."
      acts={<DialogButton label="Make an agent">{(close) => <AgentForm close={close} />}</DialogButton>}
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
            An agent answers your numbers. This makes one:
          </Empty>
        }
      />
    </Page>
  );
}
