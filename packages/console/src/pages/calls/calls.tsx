// The list of calls, with its filters in the URL.
import { TextInput } from '@mantine/core';
import type { Call } from '@parley/sdk';
import { useNavigate } from '@tanstack/react-router';
import { Outcome } from '../../parts/badge.tsx';
import { FillCommand } from '../../parts/fill-command.tsx';
import { LinkButton, PageLink } from '../../parts/link.tsx';
import { MissingTransport } from '../../parts/missing-transport.tsx';
import { Empty, Page } from '../../parts/page.tsx';
import { type Column, RecordTable } from '../../parts/record-table.tsx';
import { StatusFilter } from '../../parts/status-filter.tsx';
import { duration, Time } from '../../parts/time.tsx';
import { parley } from '../../session/client.ts';
import { facts } from '../../session/facts.ts';
import { example_callee } from '../../state/examples.ts';
import { type Filters, useFilters } from '../../state/use-filters.ts';
import { useList } from '../../state/use-list.ts';

const columns: Column<Call>[] = [
  {
    title: 'With',
    width: 'minmax(9rem, 1.4fr)',
    cell: ({ id, direction, from, to }) => (
      <PageLink to={`/calls/${id}`} className="row-link">
        {direction === 'outbound' ? `→ ${to}` : `← ${from ?? 'unknown'}`}
      </PageLink>
    ),
  },
  {
    title: 'Outcome',
    width: 'minmax(13rem, 1.3fr)',
    cell: ({ status, end_reason, hold }) => (
      // The reason of these is their status.
      <Outcome
        status={hold ? 'waiting' : status}
        reason={hold?.kind ?? (end_reason === status || end_reason === 'callee_hangup' ? null : end_reason)}
      />
    ),
  },
  {
    title: 'Our number',
    width: 'minmax(8rem, 1fr)',
    wide: true,
    cell: ({ direction, from, to }) => (
      <span className="mono">{(direction === 'outbound' ? from : to) ?? '–'}</span>
    ),
  },
  {
    title: 'Duration',
    width: '7rem',
    wide: true,
    cell: ({ duration_seconds }) => duration(duration_seconds),
  },
  { title: 'Requested', width: '6.5rem', cell: ({ requested_at }) => <Time at={requested_at} /> },
];

export function CallsPage() {
  const search = useFilters();
  const navigate = useNavigate();
  const { status, to } = search;
  const change = (next: Filters) =>
    void navigate({ to: '/calls', search: { ...search, ...next }, replace: true });
  const is_number = to !== undefined && /^\+\d{6,15}$/.test(to);
  const calls = useList(
    ['calls', status, is_number ? to : undefined],
    (query) =>
      parley.calls.list({
        ...query,
        ...(status ? { status: status as Call['status'] } : {}),
        ...(is_number ? { to } : {}),
      }),
    { refetch_ms: 4000 },
  );
  return (
    <Page
      title="Calls"
      about="Phone conversations, newest first."
      actions={
        <LinkButton to="/compose" search={{ channel: 'call' }}>
          Place a call
        </LinkButton>
      }
    >
      <MissingTransport of={['carrier']} />
      <div className="row">
        <StatusFilter of="call" value={status} onChange={(next) => change({ status: next })} />
        <TextInput
          aria-label="Called number"
          placeholder="Called number, such as +14155550123"
          value={to ?? ''}
          onChange={(event) => change({ to: event.currentTarget.value || undefined })}
          style={{ flex: '0 1 20rem' }}
        />
      </div>
      <RecordTable
        label="Calls"
        query={calls}
        columns={columns}
        empty={
          <Empty
            title={status || to ? 'No call matches' : 'No calls yet'}
            command={<FillCommand path="/v1/calls" body={{ to: example_callee, recipient_consent: true }} />}
          >
            {facts.is_sandbox ? 'This places one to a simulated person:' : 'This places one:'}
          </Empty>
        }
      />
    </Page>
  );
}
