// The people and desks that an agent may contact besides the other party.
import type { Agent, AgentDestination } from '@parley/sdk';
import { humanize } from '../../parts/badge.tsx';
import { ConfirmButton, DialogButton } from '../../parts/dialog.tsx';
import type { Column } from '../../parts/record-table.tsx';
import { SmallTable } from '../../parts/small-table.tsx';
import { parley } from '../../session/client.ts';
import { useAction } from '../../state/use-action.tsx';
import { DestinationForm } from './agent-destination-form.tsx';

function Actions({ agent, destination }: { agent: Agent; destination: AgentDestination }) {
  const { name } = destination;
  const remove = useAction(
    () =>
      parley.agents.update(agent.id, {
        destinations: agent.destinations.filter((each) => each.name !== name),
      }),
    { changes: ['agents'], message: `${name} was removed.`, toast_error: true },
  );
  return (
    <span className="row">
      <DialogButton size="row" label="Edit" title={`Edit ${name}`}>
        {(close) => <DestinationForm agent={agent} destination={destination} close={close} />}
      </DialogButton>
      <ConfirmButton
        size="row"
        label="Remove"
        question={`Remove ${name}? The agent can no longer contact it.`}
        busy={remove.busy}
        onConfirm={() => remove.run(undefined)}
      />
    </span>
  );
}

const columns = (agent: Agent): Column<AgentDestination>[] => [
  { title: 'Name', width: '20%', cell: ({ name }) => <strong className="mono">{name}</strong> },
  { title: 'For', width: '30%', cell: ({ description }) => description || '–' },
  {
    title: 'Contact',
    width: '25%',
    cell: ({ phone, email }) => (
      <span className="mono break">{[phone, email].filter(Boolean).join(', ')}</span>
    ),
  },
  {
    title: 'Transfer',
    width: '10%',
    cell: ({ phone, transfer }) => (phone ? humanize(transfer?.mode ?? 'warm') : '–'),
  },
  {
    title: 'Actions',
    width: '15%',
    cell: (destination) => <Actions agent={agent} destination={destination} />,
  },
];

export const Destinations = ({ agent }: { agent: Agent }) => (
  <div className="stack">
    <div className="row spread">
      <p className="muted" style={{ margin: 0, flex: '1 1 18rem' }}>
        The agent chooses by name and never writes a number or an address itself.
      </p>
      <DialogButton label="Add a destination">
        {(close) => <DestinationForm agent={agent} close={close} />}
      </DialogButton>
    </div>
    <SmallTable
      label="Destinations"
      items={agent.destinations}
      keyOf={({ name }) => name}
      columns={columns(agent)}
      empty={<p className="muted">None yet. Transfers, and messages to colleagues, need one.</p>}
    />
  </div>
);
