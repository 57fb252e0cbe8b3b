// Tools that agents can use: HTTP endpoints and MCP servers of the organization.
import { Tabs } from '@mantine/core';
import type { Tool } from '@parley/sdk';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { PlainBadge } from '../../parts/badge.tsx';
import { SecretOnce } from '../../parts/copy.tsx';
import { ConfirmButton, DialogButton } from '../../parts/dialog.tsx';
import { FillCommand } from '../../parts/fill-command.tsx';
import { Empty, Page } from '../../parts/page.tsx';
import { type Column, RecordTable } from '../../parts/record-table.tsx';
import { Time } from '../../parts/time.tsx';
import { parley } from '../../session/client.ts';
import { useAction } from '../../state/use-action.tsx';
import { useFilters } from '../../state/use-filters.ts';
import { useList } from '../../state/use-list.ts';
import { McpServerForm } from './mcp-server-form.tsx';
import { McpServers } from './mcp-servers.tsx';
import { ToolForm } from './tool-form.tsx';
import { ToolTry } from './tool-try.tsx';

type ShowSecret = (tool: Tool) => void;

function Actions({ tool, onSecret }: { tool: Tool; onSecret: ShowSecret }) {
  const { id, name } = tool;
  const rotate = useAction(() => parley.tools.rotateSecret(id), {
    changes: ['tools'],
    done: onSecret,
    toast_error: true,
  });
  const remove = useAction(() => parley.tools.delete(id), {
    changes: ['tools'],
    message: `${name} was deleted.`,
    toast_error: true,
  });
  return (
    <span className="row" style={{ gap: '0.4rem' }}>
      <DialogButton size="row" label="Edit" title={`Edit ${name}`}>
        {(close) => <ToolForm tool={tool} done={close} />}
      </DialogButton>
      <DialogButton size="row" label="Try" title={`Try ${name}`}>
        {() => <ToolTry tool={tool} />}
      </DialogButton>
      <ConfirmButton
        size="row"
        label="New secret"
        question={`Create a new secret for ${name}? Requests are signed with both secrets for 24 hours.`}
        busy={rotate.busy}
        onConfirm={() => rotate.run(undefined)}
      />
      <ConfirmButton
        size="row"
        label="Delete"
        question={`Delete ${name}? Agents that use it go on without it.`}
        busy={remove.busy}
        onConfirm={() => remove.run(undefined)}
      />
    </span>
  );
}

const columns = (onSecret: ShowSecret): Column<Tool>[] => [
  {
    title: 'Name',
    width: 'minmax(8rem, 1fr)',
    cell: ({ name }) => <strong className="mono">{name}</strong>,
  },
  {
    title: 'URL',
    width: 'minmax(9rem, 1.6fr)',
    wide: true,
    cell: ({ url }) => <span title={url}>{url}</span>,
  },
  {
    title: 'Effect',
    width: '5.5rem',
    wide: true,
    cell: ({ effect }) => <PlainBadge>{effect === 'act' ? 'acts' : 'reads'}</PlainBadge>,
  },
  { title: 'Updated', width: '6rem', wide: true, cell: ({ updated_at }) => <Time at={updated_at} /> },
  {
    title: 'Actions',
    width: '17rem',
    cell: (tool) => <Actions tool={tool} onSecret={onSecret} />,
  },
];

const example = {
  name: 'check_slots',
  description: 'Free appointment slots on a day.',
  url: 'https://api.example.com/slots',
  effect: 'read',
  parameters: {
    type: 'object',
    properties: { day: { type: 'string', format: 'date' } },
    required: ['day'],
  },
};

function HttpTools({ onSecret }: { onSecret: ShowSecret }) {
  const tools = useList(['tools'], (query) => parley.tools.list(query));
  return (
    <RecordTable
      label="HTTP tools"
      query={tools}
      columns={columns(onSecret)}
      empty={
        <Empty title="No tools yet" command={<FillCommand path="/v1/tools" body={example} />}>
          This creates one:
        </Empty>
      }
    />
  );
}

const Create = ({ part, onSecret }: { part: string; onSecret: ShowSecret }) =>
  part === 'mcp' ? (
    <DialogButton label="Add an MCP server">{(close) => <McpServerForm close={close} />}</DialogButton>
  ) : (
    <DialogButton label="Create a tool">
      {(close) => (
        <ToolForm
          done={(created) => {
            onSecret(created);
            close();
          }}
        />
      )}
    </DialogButton>
  );

export function ToolsPage() {
  const { part = 'http' } = useFilters();
  const navigate = useNavigate();
  const [fresh, setFresh] = useState<Tool | null>(null);
  return (
    <Page
      title="Tools"
      about="What your agents can look up and do with your own systems. An agent uses only the tools that you give it."
      actions={<Create part={part} onSecret={setFresh} />}
    >
      {fresh?.secret && (
        <SecretOnce
          title={`Signing secret of ${fresh.name}`}
          secret={fresh.secret}
          done={() => setFresh(null)}
        />
      )}
      <Tabs
        value={part}
        onChange={(value) =>
          void navigate({ to: '/tools', search: { part: value ?? 'http' } as never, replace: true })
        }
        keepMounted={false}
      >
        <Tabs.List aria-label="Section" mb="md">
          <Tabs.Tab value="http">HTTP tools</Tabs.Tab>
          <Tabs.Tab value="mcp">MCP servers</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="http">
          <HttpTools onSecret={setFresh} />
        </Tabs.Panel>
        <Tabs.Panel value="mcp">
          <McpServers />
        </Tabs.Panel>
      </Tabs>
    </Page>
  );
}
