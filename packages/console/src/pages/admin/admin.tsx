// For superadmins: the kill switch, caps of organizations, pool numbers, funds, set-aside work and the audit log.
import { Tabs } from '@mantine/core';
import type { AuditEntry, KillSwitch } from '@parley/sdk';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { PlainBadge } from '../../parts/badge.tsx';
import { ConfirmButton } from '../../parts/dialog.tsx';
import { OperatorKeyField } from '../../parts/operator-key.tsx';
import { Card, Empty, Page, Read } from '../../parts/page.tsx';
import { Problem } from '../../parts/problem.tsx';
import { type Column, RecordTable } from '../../parts/record-table.tsx';
import { Time } from '../../parts/time.tsx';
import { parley, parleyAsPerson } from '../../session/client.ts';
import { useAction } from '../../state/use-action.tsx';
import { useFilters } from '../../state/use-filters.ts';
import { useList } from '../../state/use-list.ts';
import { Funds } from './admin-funds.tsx';
import { Organizations } from './admin-organizations.tsx';
import { Pool } from './admin-pool.tsx';
import { SetAside } from './admin-set-aside.tsx';

const channels: [channel: keyof KillSwitch, label: string][] = [
  ['calls', 'Calls'],
  ['emails', 'Emails'],
  ['sms', 'Texts'],
];

const stopQuestion = (label: string) =>
  `Stop ${label.toLowerCase()} for all organizations? Within a second every request to send gets an error, what already waits goes on waiting and is given up when it is too old${label === 'Calls' ? ', and calls to your numbers are declined. Calls in progress go on' : ''}. It lasts until somebody opens the channel again.`;
const openQuestion = (label: string) =>
  `Open ${label.toLowerCase()} for all organizations? What waits and is not too old is sent at once.`;

function Stop() {
  const state = useQuery({ queryKey: ['kill-switch'], queryFn: () => parley.killSwitch.get() });
  const change = useAction((patch: Partial<KillSwitch>) => parleyAsPerson.killSwitch.update(patch), {
    changes: ['kill-switch', 'channels'],
    message: 'The change takes effect everywhere within a second.',
  });
  return (
    <Card title="Kill switch">
      <Read query={state}>
        {(found) => (
          <div className="stack">
            <p className="muted" style={{ margin: 0 }}>
              While a channel is stopped, no organization can send on it. Requests get an error that says so,
              and a banner on every page of the console shows it to everybody.
            </p>
            {channels.map(([channel, label]) => (
              <div className="row spread" key={channel}>
                <span>
                  {label}{' '}
                  <PlainBadge tone={found[channel] ? 'bad' : 'good'}>
                    {found[channel] ? 'Stopped' : 'Open'}
                  </PlainBadge>
                </span>
                <ConfirmButton
                  label={`${found[channel] ? 'Open' : 'Stop'} ${label.toLowerCase()}`}
                  question={found[channel] ? openQuestion(label) : stopQuestion(label)}
                  onConfirm={() => change.run({ [channel]: !found[channel] })}
                  busy={change.busy}
                />
              </div>
            ))}
            {change.error && <Problem error={change.error} />}
            <OperatorKeyField error={change.error} />
          </div>
        )}
      </Read>
    </Card>
  );
}

const audit_columns: Column<AuditEntry>[] = [
  {
    title: 'Action',
    width: 'minmax(9rem, 1fr)',
    cell: ({ action }) => <strong className="mono">{action}</strong>,
  },
  {
    title: 'Object',
    width: 'minmax(9rem, 1.3fr)',
    wide: true,
    cell: ({ object_id }) => <span className="mono">{object_id ?? '–'}</span>,
  },
  {
    title: 'By',
    width: 'minmax(8rem, 1fr)',
    wide: true,
    cell: ({ user_id, credential_id }) => (
      <span className="mono">{user_id ?? credential_id ?? 'the service'}</span>
    ),
  },
  { title: 'IP address', width: '8rem', wide: true, cell: ({ ip }) => ip ?? '–' },
  { title: 'When', width: '7rem', cell: ({ created_at }) => <Time at={created_at} /> },
];

function Audit() {
  const log = useList(['audit'], (query) => parley.auditLog.list(query));
  return (
    <RecordTable
      label="Audit log"
      query={log}
      columns={audit_columns}
      empty={<Empty title="No changes yet" />}
    />
  );
}

export function AdminPage() {
  const { part = 'stop' } = useFilters();
  const navigate = useNavigate();
  return (
    <Page title="Admin" about="For superadmins: settings of the whole server, for all organizations.">
      <Tabs
        value={part}
        onChange={(value) =>
          void navigate({ to: '/admin', search: { part: value ?? 'stop' } as never, replace: true })
        }
        keepMounted={false}
      >
        <Tabs.List aria-label="Section" mb="md">
          <Tabs.Tab value="stop">Kill switch</Tabs.Tab>
          <Tabs.Tab value="organizations">Organizations and caps</Tabs.Tab>
          <Tabs.Tab value="pool">Pool</Tabs.Tab>
          <Tabs.Tab value="funds">Funds</Tabs.Tab>
          <Tabs.Tab value="set-aside">Set-aside work</Tabs.Tab>
          <Tabs.Tab value="audit">Audit log</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="stop">
          <Stop />
        </Tabs.Panel>
        <Tabs.Panel value="organizations">
          <Organizations />
        </Tabs.Panel>
        <Tabs.Panel value="pool">
          <Pool />
        </Tabs.Panel>
        <Tabs.Panel value="funds">
          <Funds />
        </Tabs.Panel>
        <Tabs.Panel value="set-aside">
          <SetAside />
        </Tabs.Panel>
        <Tabs.Panel value="audit">
          <Audit />
        </Tabs.Panel>
      </Tabs>
    </Page>
  );
}
