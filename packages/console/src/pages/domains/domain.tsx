// One email domain: its DNS records with their status, and its settings for inbound mail.
import { Button, Switch, Textarea, TextInput } from '@mantine/core';
import type { DnsRecord, EmailDomain } from '@parley/sdk';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import { humanize, StatusBadge } from '../../parts/badge.tsx';
import { CopyText } from '../../parts/copy.tsx';
import { ConfirmButton } from '../../parts/dialog.tsx';
import { Form, splitList } from '../../parts/form.tsx';
import { Card, Facts, Page, Read } from '../../parts/page.tsx';
import type { Column } from '../../parts/record-table.tsx';
import { SmallTable } from '../../parts/small-table.tsx';
import { Time } from '../../parts/time.tsx';
import { parley } from '../../session/client.ts';
import { useAction } from '../../state/use-action.tsx';
import { useForm } from '../../state/use-form.ts';
import { DomainAgents } from './domain-agents.tsx';

const purposes: Record<DnsRecord['purpose'], string> = {
  dkim: 'Signs your mail (DKIM)',
  mail_from_mx: 'Receives bounces (MX)',
  mail_from_spf: 'Allows the return path (SPF)',
  dmarc: 'Publishes the policy (DMARC)',
  inbound_mx: 'Receives mail (MX)',
};

const columns: Column<DnsRecord>[] = [
  {
    title: 'Status',
    width: '7rem',
    cell: ({ status, found }) => (
      <>
        <StatusBadge status={status} />
        {status === 'wrong' && found.length > 0 && (
          <div className="small muted break">found: {found.join(', ')}</div>
        )}
      </>
    ),
  },
  { title: 'Purpose', width: '11rem', cell: ({ purpose }) => purposes[purpose] },
  {
    title: 'Type',
    width: '4rem',
    cell: ({ type, priority }) => (
      <span className="nowrap">{priority === null ? type : `${type} ${priority}`}</span>
    ),
  },
  { title: 'Name', width: '30%', cell: ({ name }) => <CopyText text={name} label="the name" /> },
  { title: 'Value', width: '40%', cell: ({ value }) => <CopyText text={value} label="the value" /> },
];

function PendingForward({ domain, address }: { domain: EmailDomain; address: string }) {
  const resend = useAction(() => parley.emailDomains.resendForwardConfirmation(domain.id, { address }), {
    changes: ['domains'],
    message: `The mail to ${address} was sent again.`,
    toast_error: true,
  });
  return (
    <li className="break">
      {address}{' '}
      <Button size="compact-xs" variant="default" loading={resend.busy} onClick={() => resend.run(undefined)}>
        Send again
      </Button>
    </li>
  );
}

function PendingForwards({ domain }: { domain: EmailDomain }) {
  if (domain.forward_pending.length === 0) return null;
  return (
    <Card title="Waiting for confirmation">
      <p className="muted small" style={{ marginTop: 0 }}>
        Mail is forwarded to these addresses only after their owners confirm with the link in the mail.
      </p>
      <ul>
        {domain.forward_pending.map((address) => (
          <PendingForward key={address} domain={domain} address={address} />
        ))}
      </ul>
    </Card>
  );
}

function Receiving({ domain }: { domain: EmailDomain }) {
  const form = useForm(
    {
      inbound_enabled: domain.inbound_enabled,
      forward_to: [...domain.forward_to, ...domain.forward_pending].join('\n'),
      forward_rate_per_hour: String(domain.forward_rate_per_hour),
    },
    ({ inbound_enabled, forward_to, forward_rate_per_hour }) =>
      parley.emailDomains.update(domain.id, {
        inbound_enabled,
        forward_to: splitList(forward_to),
        forward_rate_per_hour: Number(forward_rate_per_hour),
      }),
    { changes: ['domains'], message: 'Saved.' },
  );
  return (
    <Card title="Inbound mail">
      <Form action={form} submit="Save">
        <Switch label="Receive mail for this domain" {...form.checkbox('inbound_enabled')} />
        <Textarea
          label="Also forward to"
          description="One address per line. New addresses must be confirmed by mail first."
          autosize
          minRows={2}
          {...form.field('forward_to')}
        />
        <TextInput
          label="Maximum forwarded per hour"
          type="number"
          min={0}
          {...form.field('forward_rate_per_hour')}
        />
      </Form>
    </Card>
  );
}

const titleOf = (domain: EmailDomain | undefined) => {
  if (!domain) return 'Domain';
  return domain.kind === 'custom' ? domain.domain : domain.default_address;
};

export function DomainPage() {
  const { id = '' } = useParams({ strict: false }) as { id?: string };
  const domain = useQuery({ queryKey: ['domains', id], queryFn: () => parley.emailDomains.get(id) });
  return (
    <Page
      title={titleOf(domain.data)}
      back={{ to: '/domains', label: 'Domains' }}
      actions={<DomainActions id={id} can_verify={domain.data?.kind === 'custom'} />}
    >
      <Read query={domain}>
        {(found) => (
          <div className="stack">
            {found.dns_records.length > 0 && <DnsRecords domain={found} />}
            <div className="grid two">
              <Card title="Details">
                <DomainFacts domain={found} />
              </Card>
              <Receiving key={found.updated_at} domain={found} />
              <DomainAgents key={`agents ${found.updated_at}`} domain={found} />
              <PendingForwards domain={found} />
            </div>
          </div>
        )}
      </Read>
    </Page>
  );
}

function DomainActions({ id, can_verify }: { id: string; can_verify: boolean }) {
  const navigate = useNavigate();
  const verify = useAction(() => parley.emailDomains.verify(id), {
    changes: ['domains'],
    message: ({ verification_status }) =>
      verification_status === 'verified'
        ? 'All required records were found.'
        : 'Some records were not found yet.',
    toast_error: true,
  });
  const remove = useAction(() => parley.emailDomains.delete(id), {
    changes: ['domains'],
    message: 'The domain was deleted.',
    done: () => void navigate({ to: '/domains' }),
    toast_error: true,
  });
  return (
    <>
      {can_verify && (
        <Button loading={verify.busy} onClick={() => verify.run(undefined)}>
          Verify now
        </Button>
      )}
      <ConfirmButton
        label="Delete"
        question="Delete this domain? You can then neither send from it nor receive at it."
        busy={remove.busy}
        onConfirm={() => remove.run(undefined)}
      />
    </>
  );
}

const DnsRecords = ({ domain }: { domain: EmailDomain }) => (
  <>
    <Card title="DNS records to publish" flush>
      <SmallTable
        label="DNS records"
        items={domain.dns_records}
        keyOf={({ purpose, name }) => purpose + name}
        columns={columns}
      />
    </Card>
    <p className="muted small" style={{ margin: 0 }}>
      Many DNS providers append your domain to the name: then enter only the part before it. Turn proxying
      off. A new record may take an hour to become visible.
    </p>
  </>
);

const DomainFacts = ({ domain }: { domain: EmailDomain }) => (
  <Facts
    of={[
      ['Status', <StatusBadge key="state" status={domain.verification_status} />],
      [
        'Return path',
        <span key="path">
          {humanize(domain.mail_from_status)} · <span className="mono">{domain.mail_from_domain}</span>
        </span>,
      ],
      [
        'Receives',
        domain.receive_ready
          ? 'ready'
          : 'not yet: the domain must be verified and enabled, and its MX record must point to this server',
      ],
      ['Default sender', <CopyText key="sender" text={domain.default_address} label="the address" />],
      ['Verified', <Time key="verified" at={domain.verified_at} />],
      ['Checked', <Time key="checked" at={domain.updated_at} />],
      ['Id', <CopyText key="id" text={domain.id} label="the id of the domain" />],
    ]}
  />
);
