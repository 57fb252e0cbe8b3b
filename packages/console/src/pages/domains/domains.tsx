// Email domains: where mail is sent from and received at.
import { NativeSelect, TextInput } from '@mantine/core';
import type { EmailDomain } from '@parley/sdk';
import { useNavigate } from '@tanstack/react-router';
import { PlainBadge, StatusBadge } from '../../parts/badge.tsx';
import { DialogButton } from '../../parts/dialog.tsx';
import { FillCommand } from '../../parts/fill-command.tsx';
import { Form, withoutEmpty } from '../../parts/form.tsx';
import { PageLink } from '../../parts/link.tsx';
import { Empty, Page } from '../../parts/page.tsx';
import { type Column, RecordTable } from '../../parts/record-table.tsx';
import { Time } from '../../parts/time.tsx';
import { parley } from '../../session/client.ts';
import { facts } from '../../session/facts.ts';
import { useForm } from '../../state/use-form.ts';
import { useList } from '../../state/use-list.ts';

const columns: Column<EmailDomain>[] = [
  {
    title: 'Domain',
    width: 'minmax(10rem, 1.4fr)',
    cell: ({ id, kind, domain, default_address }) => (
      <PageLink to={`/domains/${id}`} className="row-link">
        {kind === 'custom' ? domain : default_address}
      </PageLink>
    ),
  },
  {
    title: 'Status',
    width: '8rem',
    cell: ({ verification_status }) => <StatusBadge status={verification_status} />,
  },
  {
    title: 'Kind',
    width: '8rem',
    wide: true,
    cell: ({ kind }) => <PlainBadge>{kind === 'custom' ? 'your own' : 'of this server'}</PlainBadge>,
  },
  {
    title: 'Receives',
    width: '7rem',
    wide: true,
    cell: ({ receive_ready }) => (receive_ready ? 'yes' : 'not yet'),
  },
  { title: 'Added', width: '7rem', wide: true, cell: ({ created_at }) => <Time at={created_at} /> },
];

function AddForm() {
  const navigate = useNavigate();
  const form = useForm(
    { kind: 'custom' as EmailDomain['kind'], domain: '', local_prefix_user: '', local_prefix_org: '' },
    ({ kind, domain, ...prefixes }) =>
      parley.emailDomains.create(kind === 'custom' ? { kind, domain } : { kind, ...withoutEmpty(prefixes) }),
    { changes: ['domains'], done: ({ id }) => void navigate({ to: `/domains/${id}` }) },
  );
  return (
    <Form action={form} submit="Add domain">
      <NativeSelect
        label="Kind"
        {...form.field('kind')}
        data={[
          { value: 'custom', label: 'A domain you control' },
          { value: 'service_mail', label: 'An address of this server' },
        ]}
      />
      {form.fields.kind === 'custom' ? (
        <TextInput label="Domain" placeholder="mail.example.com" {...form.field('domain')} required />
      ) : (
        <div className="grid two">
          <TextInput label="Part before the +" placeholder="optional" {...form.field('local_prefix_user')} />
          <TextInput label="Part after the +" placeholder="optional" {...form.field('local_prefix_org')} />
        </div>
      )}
    </Form>
  );
}

export function DomainsPage() {
  const domains = useList(['domains'], (query) => parley.emailDomains.list(query));
  return (
    <Page
      title="Domains"
      about="The domains you send from and receive at."
      actions={<DialogButton label="Add a domain">{() => <AddForm />}</DialogButton>}
    >
      <RecordTable
        label="Domains"
        query={domains}
        columns={columns}
        empty={
          <Empty
            title="No domains yet"
            command={
              <FillCommand path="/v1/email-domains" body={{ kind: 'custom', domain: 'mail.example.com' }} />
            }
          >
            {facts.is_sandbox ? 'The first email in the sandbox creates an address automatically. ' : ''}This
            adds your own domain:
          </Empty>
        }
      />
    </Page>
  );
}
