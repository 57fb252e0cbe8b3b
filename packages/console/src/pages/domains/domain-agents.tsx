// The agents that answer mail to a domain: one for all addresses, and others for single ones.
import { Button, NativeSelect, TextInput } from '@mantine/core';
import type { AgentAddress, EmailDomain } from '@parley/sdk';
import { Form } from '../../parts/form.tsx';
import { Card } from '../../parts/page.tsx';
import { RowButton } from '../../parts/row-button.tsx';
import { parley } from '../../session/client.ts';
import { useAgents } from '../../state/reads.ts';
import { useForm } from '../../state/use-form.ts';

type Row = AgentAddress & { key: string };
type Choice = { value: string; label: string };

const newRow = (address: AgentAddress): Row => ({ ...address, key: crypto.randomUUID() });

function AddressRows({
  domain,
  rows,
  agents,
  onChange,
}: {
  domain: string;
  rows: readonly Row[];
  agents: readonly Choice[];
  onChange(next: Row[]): void;
}) {
  const change = (key: string, some: Partial<AgentAddress>) =>
    onChange(rows.map((row) => (row.key === key ? { ...row, ...some } : row)));
  return (
    <fieldset className="plain stack tight">
      <legend>Agents of single addresses</legend>
      {rows.map(({ key, local_part, agent_id }, place) => (
        <div className="row" key={key}>
          <TextInput
            aria-label={`Address ${place + 1}, before @${domain}`}
            placeholder="billing"
            value={local_part}
            onChange={(event) => change(key, { local_part: event.currentTarget.value })}
            style={{ flex: '1 1 8rem' }}
            required
          />
          <NativeSelect
            aria-label={`Agent of address ${place + 1}`}
            value={agent_id}
            onChange={(event) => change(key, { agent_id: event.currentTarget.value })}
            data={[...agents]}
            style={{ flex: '1 1 8rem' }}
          />
          <RowButton
            aria-label={`Remove address ${place + 1}`}
            onClick={() => onChange(rows.filter((row) => row.key !== key))}
          >
            Remove
          </RowButton>
        </div>
      ))}
      <div>
        <Button
          size="compact-xs"
          variant="default"
          disabled={agents.length === 0}
          onClick={() => onChange([...rows, newRow({ local_part: '', agent_id: agents[0]!.value })])}
        >
          Add an address
        </Button>
      </div>
    </fieldset>
  );
}

export function DomainAgents({ domain }: { domain: EmailDomain }) {
  const agents = useAgents();
  const choices = (agents.data ?? []).map(({ id, name }) => ({ value: id, label: name }));
  const form = useForm(
    {
      email_agent_id: domain.email_agent_id ?? '',
      agent_addresses: domain.agent_addresses.map(newRow),
    },
    ({ email_agent_id, agent_addresses }) =>
      parley.emailDomains.update(domain.id, {
        email_agent_id: email_agent_id || null,
        ...(domain.kind === 'custom'
          ? { agent_addresses: agent_addresses.map(({ local_part, agent_id }) => ({ local_part, agent_id })) }
          : {}),
      }),
    { changes: ['domains'], message: 'The agents are saved.' },
  );
  return (
    <Card title="Agents that answer mail">
      <Form action={form} submit="Save agents">
        <NativeSelect
          label={domain.kind === 'custom' ? 'Agent of all other addresses' : 'Agent'}
          {...form.field('email_agent_id')}
          data={[{ value: '', label: 'None' }, ...choices]}
        />
        {domain.kind === 'custom' && (
          <AddressRows
            domain={domain.domain}
            rows={form.fields.agent_addresses}
            agents={choices}
            onChange={(agent_addresses) => form.set({ agent_addresses })}
          />
        )}
      </Form>
    </Card>
  );
}
