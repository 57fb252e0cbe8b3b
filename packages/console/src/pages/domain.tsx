// One domain: the records to publish with a tick for each, and what happens to mail that comes in.
import { Button, Switch, Textarea, TextInput } from '@mantine/core';
import type { DnsRecord, EmailDomain } from '@parley/sdk';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import { inWords, StatusBadge } from '../parts/badge.tsx';
import { CopyText } from '../parts/copy.tsx';
import { ConfirmButton } from '../parts/dialog.tsx';
import { Form, words } from '../parts/form.tsx';
import { Card, Facts, Page, Read } from '../parts/page.tsx';
import type { Column } from '../parts/record-table.tsx';
import { SmallTable } from '../parts/small-table.tsx';
import { Time } from '../parts/time.tsx';
import { parley } from '../session/client.ts';
import { useAction } from '../state/use-action.tsx';
import { useForm } from '../state/use-form.ts';

const purposes: Record<DnsRecord['purpose'], string> = {
  dkim: 'Signs your mail (DKIM)',
  mail_from_mx: 'Takes bounces (MX)',
  mail_from_spf: 'Allows the return path (SPF)',
  dmarc: 'Says what holds (DMARC)',
  inbound_mx: 'Brings mail in (MX)',
};

const columns: Column<DnsRecord>[] = [
  {
    title: 'State',
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
  { title: 'What for', width: '11rem', cell: ({ purpose }) => purposes[purpose] },
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
    says: `The mail to ${address} is sent again.`,
    loud: true,
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
        Nothing is forwarded to these addresses before their owners press the button behind the link that was
        mailed to them.
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
        forward_to: words(forward_to),
        forward_rate_per_hour: Number(forward_rate_per_hour),
      }),
    { changes: ['domains'], says: 'Saved.' },
  );
  return (
    <Card title="Mail that comes in">
      <Form action={form} submit="Save">
        <Switch label="Take mail for this domain" {...form.tick('inbound_enabled')} />
        <Textarea
          label="Also forward it to"
          description="One address a line. New ones are asked by mail first."
          autosize
          minRows={2}
          {...form.field('forward_to')}
        />
        <TextInput
          label="Forwarded an hour at most"
          type="number"
          min={0}
          {...form.field('forward_rate_per_hour')}
        />
      </Form>
    </Card>
  );
}

export function DomainPage() {
  const { id = '' } = useParams({ strict: false }) as { id?: string };
  const navigate = useNavigate();
  const domain = useQuery({ queryKey: ['domains', id], queryFn: () => parley.emailDomains.get(id) });
  const verify = useAction(() => parley.emailDomains.verify(id), {
    changes: ['domains'],
    says: ({ verification_status }) =>
      verification_status === 'verified'
        ? 'Everything that is needed was found.'
        : 'Not everything was found yet.',
    loud: true,
  });
  const remove = useAction(() => parley.emailDomains.delete(id), {
    changes: ['domains'],
    says: 'The domain is deleted.',
    done: () => void navigate({ to: '/domains' }),
    loud: true,
  });
  return (
    <Page
      title={
        domain.data
          ? domain.data.kind === 'custom'
            ? domain.data.domain
            : domain.data.default_address
          : 'Domain'
      }
      back={{ to: '/domains', label: 'Domains' }}
      acts={
        <>
          {domain.data?.kind === 'custom' && (
            <Button loading={verify.busy} onClick={() => verify.run(undefined)}>
              Verify now
            </Button>
          )}
          <ConfirmButton
            label="Delete"
            question="Delete this domain? Mail can then neither be sent from it nor received at it."
            busy={remove.busy}
            onSure={() => remove.run(undefined)}
          />
        </>
      }
    >
      <Read query={domain}>
        {(found) => (
          <div className="stack">
            {found.dns_records.length > 0 && (
              <Card title="Records to publish in DNS" flush>
                <SmallTable
                  label="DNS records"
                  items={found.dns_records}
                  keyOf={({ purpose, name }) => purpose + name}
                  columns={columns}
                />
              </Card>
            )}
            {found.dns_records.length > 0 && (
              <p className="muted small" style={{ margin: 0 }}>
                Many DNS pages add your domain to the name by themselves: then enter only what stands before
                it. Leave proxying off. A new record may take an hour to be seen.
              </p>
            )}
            <div className="grid two">
              <Card title="Facts">
                <Facts
                  of={[
                    ['State', <StatusBadge key="state" status={found.verification_status} />],
                    [
                      'Return path',
                      <span key="path">
                        {inWords(found.mail_from_status)} ·{' '}
                        <span className="mono">{found.mail_from_domain}</span>
                      </span>,
                    ],
                    [
                      'Receives',
                      found.receive_ready
                        ? 'ready'
                        : 'not yet: verified, switched on and its MX pointing here are needed',
                    ],
                    [
                      'Default sender',
                      <CopyText key="sender" text={found.default_address} label="the address" />,
                    ],
                    ['Verified', <Time key="verified" at={found.verified_at} />],
                    ['Checked', <Time key="checked" at={found.updated_at} />],
                    ['Id', <CopyText key="id" text={found.id} label="the id of the domain" />],
                  ]}
                />
              </Card>
              <Receiving key={found.updated_at} domain={found} />
              <PendingForwards domain={found} />
            </div>
          </div>
        )}
      </Read>
    </Page>
  );
}
