// Budgets with bars: how much of each limit in count and money is used, and when it resets.
import type { Budget } from '@parley/sdk';
import { useQuery } from '@tanstack/react-query';
import { humanize } from '../../parts/badge.tsx';
import { DialogButton } from '../../parts/dialog.tsx';
import { FillCommand } from '../../parts/fill-command.tsx';
import { money } from '../../parts/money.ts';
import { OperatorKeyInUse } from '../../parts/operator-key.tsx';
import { Empty, Page, Read } from '../../parts/page.tsx';
import type { Column } from '../../parts/record-table.tsx';
import { SmallTable } from '../../parts/small-table.tsx';
import { Time } from '../../parts/time.tsx';
import { parley } from '../../session/client.ts';
import { type Names, subjectName, useNames } from '../organization/subject-names.ts';
import { ChangeBudget, CreateBudget, DeleteBudget } from './budget-form.tsx';

/** The words carry the meaning; the bar only helps. */
function Bar({
  label,
  used,
  max,
  write,
}: {
  label: string;
  used: number;
  max: number | null;
  write(value: number): string;
}) {
  if (max === null)
    return (
      <span className="muted">
        {write(used)}, <span className="nowrap">no limit</span>
      </span>
    );
  const percent = max === 0 ? 100 : Math.min(100, Math.floor((used / max) * 100));
  return (
    <>
      <span className="nowrap">
        {write(used)} of {write(max)}
      </span>
      <meter
        aria-label={label}
        aria-valuetext={`${write(used)} of ${write(max)}`}
        min={0}
        max={100}
        optimum={0}
        low={80}
        high={99}
        value={percent}
      />
    </>
  );
}

const columnsWith = (names: Names): Column<Budget>[] => {
  const nameOf = (budget: Budget) =>
    `${subjectName(budget.subject, names)}, ${humanize(budget.channel)} per ${budget.window}`;
  return [
    {
      title: 'For',
      width: '25%',
      cell: ({ subject }) => <strong className="break">{subjectName(subject, names)}</strong>,
    },
    { title: 'Channel', width: '5rem', cell: ({ channel }) => humanize(channel) },
    { title: 'Per', width: '5rem', cell: ({ window }) => window },
    {
      title: 'Count',
      width: '20%',
      cell: (budget) => (
        <Bar
          label={`Count of ${nameOf(budget)}`}
          used={budget.used_count}
          max={budget.max_count}
          write={(count) => count.toLocaleString('en')}
        />
      ),
    },
    {
      title: 'Money',
      width: '20%',
      cell: (budget) => (
        <Bar
          label={`Money of ${nameOf(budget)}`}
          used={budget.used_micros}
          max={budget.max_amount_micros}
          write={money}
        />
      ),
    },
    { title: 'Resets', width: '6rem', cell: ({ resets_at }) => <Time at={resets_at} /> },
    {
      title: 'Actions',
      width: '9rem',
      cell: (budget) => (
        <span className="row" style={{ flexWrap: 'nowrap' }}>
          <DialogButton size="row" label="Edit" title={`Edit ${nameOf(budget)}`}>
            {(close) => <ChangeBudget budget={budget} close={close} />}
          </DialogButton>
          <DialogButton size="row" label="Delete" title={`Delete ${nameOf(budget)}`}>
            {(close) => <DeleteBudget budget={budget} close={close} />}
          </DialogButton>
        </span>
      ),
    },
  ];
};

const none = (
  <Empty
    title="No budgets yet"
    command={
      <FillCommand
        path="/v1/budgets"
        body={{
          subject: { kind: 'organization', id: null },
          channel: 'sms',
          window: 'day',
          max_count: 200,
        }}
      />
    }
  >
    This one allows 200 texts per day:
  </Empty>
);

export function BudgetsPage() {
  const names = useNames();
  const budgets = useQuery({
    queryKey: ['budgets'],
    queryFn: async () => (await parley.budgets.list()).items,
  });
  return (
    <Page
      title="Budgets"
      about="How much may be sent and spent per hour, day or month, in UTC. What is above a budget is refused."
      actions={
        <>
          <OperatorKeyInUse />
          <DialogButton label="Set a budget">
            {(close) => <CreateBudget names={names} close={close} />}
          </DialogButton>
        </>
      }
    >
      <section className="card flush">
        <Read query={budgets}>
          {(items) => (
            <SmallTable
              label="Budgets"
              items={items}
              keyOf={({ id }) => id}
              columns={columnsWith(names)}
              empty={none}
            />
          )}
        </Read>
      </section>
    </Page>
  );
}
