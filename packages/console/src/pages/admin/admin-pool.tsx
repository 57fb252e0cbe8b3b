// Admin page: shared numbers that are free, in use or in quarantine.
import { TextInput } from '@mantine/core';
import type { PoolNumber } from '@parley/sdk';
import { PlainBadge } from '../../parts/badge.tsx';
import { DialogButton } from '../../parts/dialog.tsx';
import { FillCommand } from '../../parts/fill-command.tsx';
import { Form } from '../../parts/form.tsx';
import { Empty } from '../../parts/page.tsx';
import { type Column, RecordTable } from '../../parts/record-table.tsx';
import { RowButton } from '../../parts/row-button.tsx';
import { Time } from '../../parts/time.tsx';
import { parley } from '../../session/client.ts';
import { useAction } from '../../state/use-action.tsx';
import { useForm } from '../../state/use-form.ts';
import { useList } from '../../state/use-list.ts';

function AddForm({ close }: { close(): void }) {
  const form = useForm({ e164: '' }, (fields) => parley.poolNumbers.create(fields), {
    changes: ['pool'],
    message: ({ e164 }) => `${e164} is in the pool.`,
    done: close,
  });
  return (
    <Form action={form} submit="Add to the pool">
      <TextInput
        label="Number"
        description="It must already belong to the carrier account of this server."
        {...form.field('e164')}
        required
      />
    </Form>
  );
}

function Quarantine({ number }: { number: PoolNumber }) {
  const is_active = number.provisioning_state === 'active';
  const change = useAction(
    () => parley.poolNumbers.update(number.id, { provisioning_state: is_active ? 'failed' : 'active' }),
    { changes: ['pool'], toast_error: true },
  );
  return (
    <RowButton
      loading={change.busy}
      onClick={() => change.run(undefined)}
      aria-label={`${is_active ? 'Quarantine' : 'Release'} ${number.e164}`}
    >
      {is_active ? 'Quarantine' : 'Release'}
    </RowButton>
  );
}

const columns: Column<PoolNumber>[] = [
  {
    title: 'Number',
    width: 'minmax(9rem, 1fr)',
    cell: ({ e164 }) => <strong className="mono">{e164}</strong>,
  },
  {
    title: 'State',
    width: '8rem',
    cell: ({ provisioning_state, bound_call_id }) =>
      provisioning_state === 'failed' ? (
        <PlainBadge tone="bad">quarantine</PlainBadge>
      ) : bound_call_id ? (
        <PlainBadge tone="info">in a call</PlainBadge>
      ) : (
        <PlainBadge tone="good">free</PlainBadge>
      ),
  },
  { title: 'Carrier', width: '8rem', wide: true, cell: ({ provider }) => provider },
  {
    title: 'Since',
    width: '7rem',
    wide: true,
    cell: ({ bound_at, updated_at }) => <Time at={bound_at ?? updated_at} />,
  },
  { title: 'Actions', width: '7.5rem', cell: (number) => <Quarantine number={number} /> },
];

export function Pool() {
  const pool = useList(['pool'], (query) => parley.poolNumbers.list(query), { refetch_ms: 5000 });
  return (
    <div className="stack">
      <div className="row end">
        <DialogButton label="Add a number">{(close) => <AddForm close={close} />}</DialogButton>
      </div>
      <RecordTable
        label="Pool numbers"
        query={pool}
        columns={columns}
        empty={
          <Empty
            title="The pool is empty"
            command={<FillCommand path="/v1/admin/pool-numbers" body={{ e164: '+15005550103' }} />}
          >
            Organizations without their own number use one of these during a call. This adds one:
          </Empty>
        }
      />
    </div>
  );
}
