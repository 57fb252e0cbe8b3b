// The approvals that were decided, expired or were canceled: who decided, when, how, and what was shown.
import { NativeSelect } from '@mantine/core';
import type { Approval } from '@parley/sdk';
import { useNavigate } from '@tanstack/react-router';
import { humanize, StatusBadge } from '../../parts/badge.tsx';
import { DialogButton } from '../../parts/dialog.tsx';
import { PageLink } from '../../parts/link.tsx';
import { Empty, Facts } from '../../parts/page.tsx';
import { type Column, RecordTable } from '../../parts/record-table.tsx';
import { exactTime, Time } from '../../parts/time.tsx';
import { parley } from '../../session/client.ts';
import { useFilters } from '../../state/use-filters.ts';
import { useList } from '../../state/use-list.ts';
import { Cause, titleOf, WhatIsSent } from './approval-view.tsx';

const decided = ['approved', 'rejected', 'expired', 'canceled'] as const;
/** The server returns at most this many per page: approvals contain whole messages. */
const page_size = 50;

const ways: Record<string, string> = {
  console: 'signed in, or with the operator key',
  link: 'by the link in a mail',
  key: 'with a key for approvals',
};
const pages: Partial<Record<Approval['object']['noun'], string>> = { call: '/calls', email: '/emails' };

function Decision({ approval }: { approval: Approval }) {
  const { status, decided_at, decided_by, decided_via, note, object, content_erased_at } = approval;
  const page = pages[object.noun];
  return (
    <div className="stack">
      <Facts
        of={[
          ['Status', <StatusBadge key="status" status={status} />],
          [
            'Decided by',
            <span key="by" className="break">
              {decided_by ?? 'the service'}
            </span>,
          ],
          ['When', decided_at && exactTime(decided_at)],
          ['How', decided_via && ways[decided_via]],
          ['Note', note && <span className="break">{note}</span>],
          ['Record', page && <PageLink to={`${page}/${object.id}`}>Open the {object.noun}</PageLink>],
        ]}
      />
      <Cause approval={approval} />
      {content_erased_at && (
        <p className="muted" style={{ margin: 0 }}>
          The content was erased on {exactTime(content_erased_at)}. Its SHA-256 is {approval.payload_sha256}.
        </p>
      )}
      <WhatIsSent approval={approval} rendered={false} />
    </div>
  );
}

const columns: Column<Approval>[] = [
  {
    title: 'What',
    width: 'minmax(10rem, 1.6fr)',
    cell: (approval) => <strong>{titleOf(approval)}</strong>,
  },
  { title: 'Status', width: '7rem', cell: ({ status }) => <StatusBadge status={status} /> },
  {
    title: 'Decided by',
    width: 'minmax(8rem, 1fr)',
    wide: true,
    cell: ({ decided_by }) => decided_by ?? 'the service',
  },
  {
    title: 'How',
    width: '6rem',
    wide: true,
    cell: ({ decided_via }) => (decided_via ? humanize(decided_via) : '–'),
  },
  { title: 'When', width: '7rem', wide: true, cell: ({ decided_at }) => <Time at={decided_at} /> },
  {
    title: 'Actions',
    width: '5rem',
    cell: (approval) => (
      <DialogButton size="row" label="Show" title={`Show ${titleOf(approval)}`}>
        {() => <Decision approval={approval} />}
      </DialogButton>
    ),
  },
];

export function ApprovalHistoryPart() {
  const filters = useFilters();
  const navigate = useNavigate();
  const status = decided.find((each) => each === filters.status);
  const approvals = useList(['approvals', 'decided', status], (query) =>
    parley.approvals.list({ ...query, limit: page_size, ...(status ? { status } : {}) }),
  );
  const items = approvals.items.filter((approval) => approval.status !== 'pending');
  return (
    <div className="stack">
      <NativeSelect
        aria-label="Decision"
        value={status ?? ''}
        onChange={(event) =>
          void navigate({
            to: '/approvals',
            search: { part: 'decided', status: event.currentTarget.value || undefined } as never,
            replace: true,
          })
        }
        data={[{ value: '', label: 'Any decision' }, ...decided]}
        style={{ maxWidth: '14rem' }}
      />
      <RecordTable
        label="Decided approvals"
        query={{ ...approvals, items }}
        columns={columns}
        empty={<Empty title={status ? `No ${status} approvals` : 'Nothing was decided yet'} />}
      />
    </div>
  );
}
