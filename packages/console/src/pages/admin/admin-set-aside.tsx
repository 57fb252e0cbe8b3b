// Admin page: background work that the service gave up. A superadmin runs it again or deletes it.
import type { SetAsideWork } from '@parley/sdk';
import { humanize, PlainBadge } from '../../parts/badge.tsx';
import { ConfirmButton } from '../../parts/dialog.tsx';
import { Empty } from '../../parts/page.tsx';
import { type Column, RecordTable } from '../../parts/record-table.tsx';
import { RowButton } from '../../parts/row-button.tsx';
import { Time } from '../../parts/time.tsx';
import { parley } from '../../session/client.ts';
import { useAction } from '../../state/use-action.tsx';
import { useList } from '../../state/use-list.ts';

function Actions({ work }: { work: SetAsideWork }) {
  const again = useAction(() => parley.setAsideWork.run(work.id), {
    changes: ['set-aside'],
    message: 'The work is in its queue again.',
    toast_error: true,
  });
  const remove = useAction(() => parley.setAsideWork.delete(work.id), {
    changes: ['set-aside'],
    toast_error: true,
  });
  return (
    <span className="row" style={{ flexWrap: 'nowrap' }}>
      {work.can_run_again && (
        <RowButton
          loading={again.busy}
          onClick={() => again.run(undefined)}
          aria-label={`Run ${work.kind} ${work.object_id} again`}
        >
          Run again
        </RowButton>
      )}
      <ConfirmButton
        label="Delete"
        size="compact-sm"
        question="The work is not done, and cannot be run again."
        busy={remove.busy}
        onConfirm={() => remove.run(undefined)}
      />
    </span>
  );
}

const columns: Column<SetAsideWork>[] = [
  { title: 'Work', width: 'minmax(9rem, 1fr)', cell: ({ kind }) => <strong className="mono">{kind}</strong> },
  { title: 'Queue', width: '8rem', wide: true, cell: ({ queue }) => humanize(queue) },
  {
    title: 'Reason',
    width: 'minmax(9rem, 1.4fr)',
    cell: ({ reason, last_error, lost_runs }) =>
      reason === 'process_ended' ? (
        <PlainBadge tone="bad">{`ended the process ${lost_runs} times`}</PlainBadge>
      ) : (
        <span className="break">{last_error}</span>
      ),
  },
  {
    title: 'Object',
    width: 'minmax(9rem, 1fr)',
    wide: true,
    cell: ({ object_id }) => <span className="mono">{object_id}</span>,
  },
  { title: 'When', width: '7rem', cell: ({ set_aside_at }) => <Time at={set_aside_at} /> },
  { title: 'Actions', width: '12rem', cell: (work) => <Actions work={work} /> },
];

export function SetAside() {
  const work = useList(['set-aside'], (query) => parley.setAsideWork.list(query), { refetch_ms: 10_000 });
  return (
    <RecordTable
      label="Set-aside work"
      query={work}
      columns={columns}
      empty={
        <Empty title="Nothing is set aside">
          Background work that ends the process twice, or fails in every attempt, is kept here for 30 days.
        </Empty>
      }
    />
  );
}
