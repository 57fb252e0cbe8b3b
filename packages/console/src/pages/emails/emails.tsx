// The list of emails, with its filters in the URL.
import { SegmentedControl } from '@mantine/core';
import type { EmailListItem } from '@parley/sdk';
import { useNavigate } from '@tanstack/react-router';
import { Outcome } from '../../parts/badge.tsx';
import { FillCommand } from '../../parts/fill-command.tsx';
import { LinkButton } from '../../parts/link.tsx';
import { MissingTransport } from '../../parts/missing-transport.tsx';
import { Empty, Page } from '../../parts/page.tsx';
import { type Column, RecordTable } from '../../parts/record-table.tsx';
import { StatusFilter } from '../../parts/status-filter.tsx';
import { subject_column } from '../../parts/subject-column.tsx';
import { Time } from '../../parts/time.tsx';
import { parley } from '../../session/client.ts';
import { facts } from '../../session/facts.ts';
import { example_address } from '../../state/examples.ts';
import { type Filters, useFilters } from '../../state/use-filters.ts';
import { useList } from '../../state/use-list.ts';

const columns: Column<EmailListItem>[] = [
  {
    title: 'With',
    width: 'minmax(6.5rem, 1fr)',
    cell: ({ direction, from_address, to_addresses }) =>
      direction === 'outbound' ? `→ ${to_addresses.join(', ')}` : `← ${from_address}`,
  },
  subject_column,
  {
    title: 'Outcome',
    width: 'minmax(11rem, 0.9fr)',
    cell: ({ status, last_outcome, end_reason, hold }) => (
      <Outcome status={hold ? 'waiting' : (last_outcome ?? status)} reason={hold?.kind ?? end_reason} />
    ),
  },
  { title: 'When', width: '6.5rem', wide: true, cell: ({ requested_at }) => <Time at={requested_at} /> },
];

export function EmailsPage() {
  const search = useFilters();
  const navigate = useNavigate();
  const { status, direction } = search;
  const change = (next: Filters) =>
    void navigate({ to: '/emails', search: { ...search, ...next } as never, replace: true });
  const emails = useList(['emails', status, direction], (query) =>
    parley.emails.list({
      ...query,
      ...(status ? { status: status as EmailListItem['status'] } : {}),
      ...(direction ? { direction: direction as EmailListItem['direction'] } : {}),
    }),
  );
  return (
    <Page
      title="Emails"
      about="Sent and received emails, newest first."
      actions={
        <LinkButton to="/compose" search={{ channel: 'email' }}>
          Write an email
        </LinkButton>
      }
    >
      <MissingTransport of={['mail_transport']} />
      <div className="row">
        <SegmentedControl
          aria-label="Direction"
          value={direction ?? ''}
          onChange={(value) => change({ direction: value || undefined })}
          data={[
            { value: '', label: 'All' },
            { value: 'inbound', label: 'Received' },
            { value: 'outbound', label: 'Sent' },
          ]}
        />
        <StatusFilter of="email" value={status} onChange={(next) => change({ status: next })} />
      </div>
      <RecordTable
        label="Emails"
        query={emails}
        columns={columns}
        empty={
          <Empty
            title={status || direction ? 'No email matches' : 'No emails yet'}
            command={
              <FillCommand
                path="/v1/emails"
                body={{
                  to: [example_address],
                  subject: 'Hello',
                  body_text: 'It works.',
                  recipient_consent: true,
                }}
              />
            }
          >
            {facts.is_sandbox ? 'This sends one that the sandbox delivers:' : 'This sends one:'}
          </Empty>
        }
      />
    </Page>
  );
}
