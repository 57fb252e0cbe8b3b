// The erasures of people: how far each one is, and the button that begins another one.
import type { Erasure } from '@parley/sdk';
import { humanize, StatusBadge } from '../../parts/badge.tsx';
import { DialogButton } from '../../parts/dialog.tsx';
import { Empty } from '../../parts/page.tsx';
import { type Column, RecordTable } from '../../parts/record-table.tsx';
import { Time } from '../../parts/time.tsx';
import { parley } from '../../session/client.ts';
import { useList } from '../../state/use-list.ts';
import { countsText, EraseForm } from './erase-form.tsx';

const refetch_ms = 2000;

const columns: Column<Erasure>[] = [
  { title: 'Status', width: '8rem', cell: ({ status }) => <StatusBadge status={status} /> },
  {
    title: 'Works on',
    width: 'minmax(7rem, 0.6fr)',
    cell: ({ step }) => (step ? humanize(step) : <span className="muted">–</span>),
  },
  {
    title: 'Removed',
    width: 'minmax(12rem, 2fr)',
    cell: ({ counts }) => <span title={countsText(counts)}>{countsText(counts)}</span>,
  },
  { title: 'Begun', width: '7rem', wide: true, cell: ({ created_at }) => <Time at={created_at} /> },
  {
    title: 'Done',
    width: '7rem',
    wide: true,
    cell: ({ done_at }) => (done_at ? <Time at={done_at} /> : <span className="muted">–</span>),
  },
];

export function Erasures() {
  const erasures = useList(['erasures'], (query) => parley.erasures.list(query), { refetch_ms });
  return (
    <div className="stack">
      <div className="row end">
        <DialogButton label="Erase a person">{(close) => <EraseForm close={close} />}</DialogButton>
      </div>
      <RecordTable
        label="Erasures"
        query={erasures}
        columns={columns}
        empty={
          <Empty title="No erasures yet">
            An erasure removes everything about one person from all channels, and keeps only that the person
            must not be contacted.
          </Empty>
        }
      />
    </div>
  );
}
