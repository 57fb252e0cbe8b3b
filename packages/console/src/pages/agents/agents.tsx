// Agents: who answers your numbers. The rest of an agent is set on its own page.
import { Textarea, TextInput } from '@mantine/core';
import type { Agent } from '@parley/sdk';
import { useNavigate } from '@tanstack/react-router';
import { DialogButton } from '../../parts/dialog.tsx';
import { FillCommand } from '../../parts/fill-command.tsx';
import { Form } from '../../parts/form.tsx';
import { PageLink } from '../../parts/link.tsx';
import { Empty, Page } from '../../parts/page.tsx';
import { type Column, RecordTable } from '../../parts/record-table.tsx';
import { Time } from '../../parts/time.tsx';
import { parley } from '../../session/client.ts';
import { useForm } from '../../state/use-form.ts';
import { useList } from '../../state/use-list.ts';

function NewAgent() {
  const navigate = useNavigate();
  const form = useForm(
    { name: '', system_prompt: '', first_message: '' },
    ({ name, system_prompt, first_message }) =>
      parley.agents.create({
        name,
        system_prompt: system_prompt || null,
        first_message: first_message || null,
      }),
    {
      changes: ['agents'],
      message: ({ name }) => `${name} was created.`,
      done: ({ id }) => void navigate({ to: `/agents/${id}` }),
    },
  );
  return (
    <Form action={form} submit="Create agent">
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
    </Form>
  );
}

const columns: Column<Agent>[] = [
  {
    title: 'Name',
    width: 'minmax(8rem, 1fr)',
    cell: ({ id, name }) => (
      <PageLink to={`/agents/${id}`} className="row-link">
        {name}
      </PageLink>
    ),
  },
  {
    title: 'Instructions',
    width: 'minmax(10rem, 2fr)',
    wide: true,
    cell: ({ system_prompt }) => <span className="muted">{system_prompt ?? 'nothing'}</span>,
  },
  {
    title: 'Tools',
    width: '6rem',
    wide: true,
    cell: ({ tools }) => (tools.length === 0 ? 'none' : tools.length),
  },
  { title: 'Language', width: '6rem', wide: true, cell: ({ language }) => language },
  { title: 'Updated', width: '7rem', wide: true, cell: ({ updated_at }) => <Time at={updated_at} /> },
];

export function AgentsPage() {
  const agents = useList(['agents'], (query) => parley.agents.list(query));
  return (
    <Page
      title="Agents"
      about="They speak on calls and reply to texts and emails to you."
      actions={<DialogButton label="Create an agent">{() => <NewAgent />}</DialogButton>}
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
