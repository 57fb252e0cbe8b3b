// The ledger of consents: everybody's entries, or those of one number or address.
import { Button, TextInput } from '@mantine/core';
import type { Consent } from '@parley/sdk';
import { useNavigate } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { humanize, StatusBadge } from '../../parts/badge.tsx';
import { DialogButton } from '../../parts/dialog.tsx';
import { FillCommand } from '../../parts/fill-command.tsx';
import { PageLink } from '../../parts/link.tsx';
import { Empty, Page } from '../../parts/page.tsx';
import { type Column, RecordTable } from '../../parts/record-table.tsx';
import { Time } from '../../parts/time.tsx';
import { parley } from '../../session/client.ts';
import { useFilters } from '../../state/use-filters.ts';
import { useList } from '../../state/use-list.ts';
import { RecordConsent } from './consent-form.tsx';
import { ConsentActions, PersonConsents } from './person-consents.tsx';
import { SuspectedRefusals } from './suspected-refusals.tsx';

const columns: Column<Consent>[] = [
  {
    title: 'Recipient',
    width: 'minmax(9rem, 1.5fr)',
    cell: ({ recipient }) => (
      <PageLink to="/consents" search={{ recipient }}>
        {recipient}
      </PageLink>
    ),
  },
  { title: 'Status', width: '7rem', cell: ({ status }) => <StatusBadge status={status} /> },
  {
    title: 'Channels',
    width: 'minmax(6rem, 0.8fr)',
    wide: true,
    cell: ({ channels }) => channels.join(', '),
  },
  {
    title: 'Purposes',
    width: 'minmax(7rem, 1fr)',
    wide: true,
    cell: ({ purposes }) => purposes.join(', '),
  },
  { title: 'Basis', width: 'minmax(7rem, 1fr)', wide: true, cell: ({ basis }) => humanize(basis) },
  { title: 'Recorded', width: '7rem', wide: true, cell: ({ created_at }) => <Time at={created_at} /> },
  { title: 'Actions', width: '9rem', wide: true, cell: (consent) => <ConsentActions consent={consent} /> },
];

function Lookup({ recipient }: { recipient: string }) {
  const [text, setText] = useState(recipient);
  const navigate = useNavigate();
  const show = (to: string) =>
    void navigate({ to: '/consents', search: (to ? { recipient: to } : {}) as never });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    show(text.trim());
  };
  return (
    <search>
      <form className="row" onSubmit={submit}>
        <TextInput
          aria-label="Number or address"
          placeholder="A number or an address"
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
          style={{ flex: '1 1 14rem', maxWidth: '24rem' }}
        />
        <Button type="submit" variant="default">
          Find
        </Button>
        {recipient && (
          <Button variant="subtle" onClick={() => show('')}>
            Show all
          </Button>
        )}
      </form>
    </search>
  );
}

function Ledger() {
  const consents = useList(['consents'], (query) => parley.consents.list(query));
  return (
    <RecordTable
      label="Consents"
      query={consents}
      columns={columns}
      empty={
        <Empty
          title="No consents yet"
          command={
            <FillCommand
              path="/v1/consents"
              body={{
                recipient: '+14155550123',
                channels: ['sms', 'call'],
                purposes: ['conversational'],
                basis: 'express',
                source: { kind: 'web_form', text_shown: 'I agree to texts and calls about my order.' },
              }}
            />
          }
        >
          This records that a person agreed to texts and calls:
        </Empty>
      }
    />
  );
}

export function ConsentsPage() {
  const { recipient = '' } = useFilters();
  return (
    <Page
      title={recipient ? `Consents of ${recipient}` : 'Consents'}
      about="Who agreed to be contacted, on which channels, for what, and with which proof. Entries are never changed or deleted, only revoked."
      {...(recipient ? { back: { to: '/consents', label: 'Consents' } } : {})}
      actions={
        !recipient && (
          <DialogButton label="Record a consent">{(close) => <RecordConsent close={close} />}</DialogButton>
        )
      }
    >
      {!recipient && <SuspectedRefusals />}
      <Lookup key={`find ${recipient}`} recipient={recipient} />
      {recipient ? <PersonConsents key={recipient} recipient={recipient} /> : <Ledger />}
    </Page>
  );
}
