// The MCP servers whose tools agents can use.
import type { McpServer } from '@parley/sdk';
import { Outcome } from '../../parts/badge.tsx';
import { ConfirmButton, DialogButton } from '../../parts/dialog.tsx';
import { FillCommand } from '../../parts/fill-command.tsx';
import { Empty } from '../../parts/page.tsx';
import { type Column, RecordTable } from '../../parts/record-table.tsx';
import { RowButton } from '../../parts/row-button.tsx';
import { Time } from '../../parts/time.tsx';
import { parley } from '../../session/client.ts';
import { useAction } from '../../state/use-action.tsx';
import { useList } from '../../state/use-list.ts';
import { McpServerForm } from './mcp-server-form.tsx';
import { McpServerTools } from './mcp-server-tools.tsx';

function Actions({ server }: { server: McpServer }) {
  const { id, name } = server;
  const refresh = useAction(() => parley.mcpServers.refresh(id), {
    changes: ['mcp-servers'],
    message: ({ status, tools }) =>
      status === 'ready' ? `${name} has ${tools.length} tools.` : `${name} did not answer.`,
    toast_error: true,
  });
  const remove = useAction(() => parley.mcpServers.delete(id), {
    changes: ['mcp-servers'],
    message: `${name} was deleted.`,
    toast_error: true,
  });
  return (
    <span className="row" style={{ gap: '0.4rem' }}>
      <DialogButton size="row" label="Tools" title={`Tools of ${name}`}>
        {(close) => <McpServerTools server={server} close={close} />}
      </DialogButton>
      <RowButton loading={refresh.busy} onClick={() => refresh.run(undefined)} aria-label={`Refresh ${name}`}>
        Refresh
      </RowButton>
      <DialogButton size="row" label="Edit" title={`Edit ${name}`}>
        {(close) => <McpServerForm server={server} close={close} />}
      </DialogButton>
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

const columns: Column<McpServer>[] = [
  {
    title: 'Name',
    width: 'minmax(6rem, 0.8fr)',
    cell: ({ name }) => <strong className="mono">{name}</strong>,
  },
  {
    title: 'URL',
    width: 'minmax(9rem, 1.6fr)',
    wide: true,
    cell: ({ url }) => <span title={url}>{url}</span>,
  },
  {
    title: 'Status',
    width: 'minmax(7rem, 1fr)',
    cell: ({ status, error }) => <Outcome status={status} reason={error} />,
  },
  {
    title: 'Allowed',
    width: '6rem',
    wide: true,
    cell: ({ allow, tools }) => `${allow.length} of ${tools.length}`,
  },
  { title: 'Checked', width: '6rem', wide: true, cell: ({ checked_at }) => <Time at={checked_at} /> },
  { title: 'Actions', width: '17rem', cell: (server) => <Actions server={server} /> },
];

const example = {
  name: 'crm',
  url: 'https://mcp.example.com/mcp',
  headers: { Authorization: 'Bearer a-token' },
};

export function McpServers() {
  const servers = useList(['mcp-servers'], (query) => parley.mcpServers.list(query));
  return (
    <RecordTable
      label="MCP servers"
      query={servers}
      columns={columns}
      empty={
        <Empty title="No MCP servers yet" command={<FillCommand path="/v1/mcp-servers" body={example} />}>
          This adds one. Then choose which of its tools agents may use:
        </Empty>
      }
    />
  );
}
