// Admin page: the funds of organizations, and credits.
import { TextInput } from '@mantine/core';
import type { LedgerEntry } from '@parley/sdk';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { humanize } from '../../parts/badge.tsx';
import { Form, withoutEmpty } from '../../parts/form.tsx';
import { money } from '../../parts/money.ts';
import { Card, Empty, Facts, Read } from '../../parts/page.tsx';
import { type Column, RecordTable } from '../../parts/record-table.tsx';
import { Time } from '../../parts/time.tsx';
import { parley } from '../../session/client.ts';
import { useAction } from '../../state/use-action.tsx';
import { useList } from '../../state/use-list.ts';

const nil = '00000000-0000-0000-0000-000000000000';

const columns: Column<LedgerEntry>[] = [
  { title: 'Kind', width: 'minmax(8rem, 1fr)', cell: ({ kind, item }) => humanize(item ?? kind) },
  { title: 'Amount', width: '8rem', cell: ({ amount_micros }) => money(amount_micros) },
  { title: 'Balance', width: '8rem', wide: true, cell: ({ balance_micros }) => money(balance_micros) },
  {
    title: 'Note',
    width: 'minmax(8rem, 1fr)',
    wide: true,
    cell: ({ note, reference }) => note ?? reference ?? '–',
  },
  { title: 'When', width: '7rem', cell: ({ created_at }) => <Time at={created_at} /> },
];

export function Funds() {
  const [organization_id, setOrganization] = useState(nil);
  const [dollars, setDollars] = useState('');
  const [note, setNote] = useState('');
  const is_id = /^[0-9a-f-]{36}$/i.test(organization_id);
  const balance = useQuery({
    queryKey: ['funds', organization_id],
    queryFn: () => parley.funds.organizationBalance(organization_id),
    enabled: is_id,
  });
  const ledger = useList(
    ['funds', organization_id, 'ledger'],
    (query) => parley.funds.organizationLedger(organization_id, query),
    { enabled: is_id },
  );
  const prices = useQuery({ queryKey: ['prices'], queryFn: () => parley.funds.prices() });
  const credit = useAction(
    () =>
      parley.funds.credit(organization_id, {
        amount_micros: Math.round(Number(dollars) * 1e6),
        ...withoutEmpty({ note }),
      }),
    { changes: ['funds'], message: 'Credited.', done: () => setDollars('') },
  );
  return (
    <div className="stack">
      <div className="grid two">
        <Card title="Credit an organization">
          <Form action={credit} submit="Credit">
            <TextInput
              label="Organization"
              description="The id; all zeros for the organization of the shared key."
              value={organization_id}
              onChange={(event) => setOrganization(event.currentTarget.value)}
              required
            />
            <TextInput
              label="Amount in dollars"
              description="A negative amount is a debit."
              type="number"
              step="any"
              value={dollars}
              onChange={(event) => setDollars(event.currentTarget.value)}
              error={credit.fieldError('amount_micros')}
              required
            />
            <TextInput label="Note" value={note} onChange={(event) => setNote(event.currentTarget.value)} />
          </Form>
        </Card>
        <Card title="Balance and prices">
          <Read query={balance}>
            {({ balance_micros, reserved_micros, charging }) => (
              <Facts
                of={[
                  ['Balance', <strong key="left">{money(balance_micros)}</strong>],
                  ['Reserved by calls', money(reserved_micros)],
                  ['Charging', charging ? 'on' : 'off: this server does not charge (PARLEY_FUNDS=off)'],
                  ...Object.entries(prices.data ?? {}).map(([item, micros]): [string, string] => [
                    humanize(item),
                    money(micros),
                  ]),
                ]}
              />
            )}
          </Read>
        </Card>
      </div>
      <RecordTable
        label="Ledger"
        query={ledger}
        columns={columns}
        empty={<Empty title="No credits or charges yet" />}
      />
    </div>
  );
}
