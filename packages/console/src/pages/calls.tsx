// The list of calls, with its filters in the URL.
import { TextInput } from '@mantine/core';
import type { Call } from '@parley/sdk';
import { useNavigate } from '@tanstack/react-router';
import { humanize, StatusBadge } from '../parts/badge.tsx';
import { FillCommand } from '../parts/fill-command.tsx';
import { LinkButton, PageLink } from '../parts/link.tsx';
import { Empty, Page } from '../parts/page.tsx';
import { type Column, RecordTable } from '../parts/record-table.tsx';
import { StatusFilter } from '../parts/status-filter.tsx';
import { duration, Time } from '../parts/time.tsx';
import { parley } from '../session/client.ts';
import { type Filters, useFilters } from '../state/use-filters.ts';
import { useList } from '../state/use-list.ts';

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
  { title: 'Status', width: '8.5rem', cell: ({ status }) => <StatusBadge status={status} /> },
  {
    title: 'Our number',
    width: 'minmax(8rem, 1fr)',
    wide: true,
    cell: ({ direction, from, to }) => (
      <span className="mono">{(direction === 'outbound' ? from : to) ?? '–'}</span>
    ),
  },
  {
    title: 'End reason',
    width: 'minmax(8rem, 1fr)',
    wide: true,
    cell: ({ end_reason }) => (end_reason ? humanize(end_reason) : '–'),
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
      <div className="row">
        <StatusFilter of="call" value={status} onChange={(next) => change({ status: next })} />
        <TextInput
          aria-label="Called number"
          placeholder="Called number, such as +15005550201"
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
            command={<FillCommand path="/v1/calls" body={{ to: '+15005550201', recipient_consent: true }} />}
          >
            This places one to a simulated person:
          </Empty>
        }
      />
    </Page>
  );
}
