// What is received: the quarantine, the receive rules, and what happens with mail that fails a check.
import { NativeSelect, Tabs } from '@mantine/core';
import type { EmailListItem, ReceiveRule, ReceiveSettings } from '@parley/sdk';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { humanize, PlainBadge } from '../../parts/badge.tsx';
import { DialogButton } from '../../parts/dialog.tsx';
import { FillCommand } from '../../parts/fill-command.tsx';
import { Form } from '../../parts/form.tsx';
import { Card, Empty, Page, Read } from '../../parts/page.tsx';
import { type Column, RecordTable } from '../../parts/record-table.tsx';
import { RowActions } from '../../parts/row-actions.tsx';
import { RowButton } from '../../parts/row-button.tsx';
import { subject_column } from '../../parts/subject-column.tsx';
import { Time } from '../../parts/time.tsx';
import { parley } from '../../session/client.ts';
import { useAction } from '../../state/use-action.tsx';
import { useFilters } from '../../state/use-filters.ts';
import { useForm } from '../../state/use-form.ts';
import { useList } from '../../state/use-list.ts';
import { ReceiveRuleForm } from './receive-rule-form.tsx';

function Release({ email }: { email: EmailListItem }) {
  const release = useAction(() => parley.emails.release(email.id), {
    changes: ['emails', 'conversations'],
    message: 'The email is in the inbox now.',
    toast_error: true,
  });
  return (
    <RowButton
      loading={release.busy}
      onClick={() => release.run(undefined)}
      aria-label={`Release ${email.subject || 'the email'}`}
    >
      Release
    </RowButton>
  );
}

const quarantine_columns: Column<EmailListItem>[] = [
  { title: 'From', width: 'minmax(7rem, 1fr)', cell: ({ from_address }) => from_address },
  subject_column,
  {
    title: 'Reason',
    width: 'minmax(7rem, 0.8fr)',
    cell: ({ quarantine_reason }) => <PlainBadge>{humanize(quarantine_reason ?? '')}</PlainBadge>,
  },
  { title: 'When', width: '6.5rem', wide: true, cell: ({ requested_at }) => <Time at={requested_at} /> },
  { title: 'Actions', width: '6rem', cell: (email) => <Release email={email} /> },
];

function Quarantine() {
  const emails = useList(['emails', 'quarantine'], (query) =>
    parley.emails.list({ ...query, folder: 'quarantine' }),
  );
  return (
    <RecordTable
      label="Quarantine"
      query={emails}
      columns={quarantine_columns}
      empty={
        <Empty title="The quarantine is empty">
          Spam, viruses, forged senders and what your rules say come here. An email that is released is
          treated as if it was received then.
        </Empty>
      }
    />
  );
}

const whoOf = ({ match }: ReceiveRule) => match.value ?? 'Everyone';
const channel_names = { email: 'Emails', sms: 'Texts', call: 'Calls' };

const rule_columns: Column<ReceiveRule>[] = [
  {
    title: 'From',
    width: 'minmax(8rem, 1.4fr)',
    lead: true,
    cell: (rule) => <strong>{whoOf(rule)}</strong>,
  },
  { title: 'Channel', width: '6rem', cell: ({ channel }) => channel_names[channel] },
  {
    title: 'To',
    width: 'minmax(7rem, 1fr)',
    wide: true,
    cell: ({ scope }) => scope.value ?? (scope.kind === 'email_domain' ? 'One domain' : 'All'),
  },
  { title: 'Action', width: '7rem', cell: ({ action }) => <PlainBadge>{action}</PlainBadge> },
  { title: 'Hits', width: '4.5rem', wide: true, cell: ({ hits }) => hits },
  {
    title: 'Actions',
    width: '9rem',
    cell: (rule) => (
      <RowActions
        name={`the rule for ${whoOf(rule)}`}
        remove={() => parley.receiveRules.delete(rule.id)}
        changes={['receive-rules']}
      >
        {(close) => <ReceiveRuleForm rule={rule} close={close} />}
      </RowActions>
    ),
  },
];

function Rules() {
  const rules = useList(['receive-rules'], (query) => parley.receiveRules.list(query));
  return (
    <RecordTable
      label="Receive rules"
      query={rules}
      columns={rule_columns}
      empty={
        <Empty
          title="No receive rules"
          command={
            <FillCommand
              path="/v1/receive-rules"
              body={{
                channel: 'email',
                match: { kind: 'domain', value: 'spam.example' },
                action: 'quarantine',
              }}
            />
          }
        >
          Everybody may write to you and call you. This keeps the mail of one domain apart:
        </Empty>
      }
    />
  );
}

const checks = [
  ['spam', 'Spam'],
  ['unauthenticated', 'Forged senders'],
  ['virus', 'Viruses'],
] as const;

function SettingsForm({ settings }: { settings: ReceiveSettings }) {
  const form = useForm<ReceiveSettings, ReceiveSettings>(
    { ...settings },
    (fields) => parley.receiveRules.updateSettings(fields),
    { changes: ['receive-settings'], message: 'The checks apply within two seconds.' },
  );
  return (
    <Form action={form} submit="Save">
      {checks.map(([name, label]) => (
        <NativeSelect
          key={name}
          label={label}
          {...form.field(name)}
          data={[
            { value: 'quarantine', label: 'Put into quarantine' },
            { value: 'deliver', label: 'Deliver' },
          ]}
        />
      ))}
    </Form>
  );
}

function Settings() {
  const settings = useQuery({
    queryKey: ['receive-settings'],
    queryFn: () => parley.receiveRules.settings(),
  });
  return (
    <Card>
      <Read query={settings}>{(found) => <SettingsForm settings={found} />}</Read>
    </Card>
  );
}

export function ReceiveRulesPage() {
  const { part = 'quarantine' } = useFilters();
  const navigate = useNavigate();
  return (
    <Page
      title="Receiving"
      about="Who may write to you and call you, and the mail that is kept apart."
      actions={<DialogButton label="Add a rule">{(close) => <ReceiveRuleForm close={close} />}</DialogButton>}
    >
      <Tabs
        value={part}
        onChange={(value) =>
          void navigate({
            to: '/receive-rules',
            search: { part: value ?? 'quarantine' } as never,
            replace: true,
          })
        }
        keepMounted={false}
      >
        <Tabs.List aria-label="Receiving" mb="md">
          <Tabs.Tab value="quarantine">Quarantine</Tabs.Tab>
          <Tabs.Tab value="rules">Rules</Tabs.Tab>
          <Tabs.Tab value="settings">Checks</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="quarantine">
          <Quarantine />
        </Tabs.Panel>
        <Tabs.Panel value="rules">
          <Rules />
        </Tabs.Panel>
        <Tabs.Panel value="settings">
          <Settings />
        </Tabs.Panel>
      </Tabs>
    </Page>
  );
}
