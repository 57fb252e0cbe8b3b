// The suppressed recipients by channel, with the reason.
import { NativeSelect, Tabs, TextInput } from '@mantine/core';
import type { EmailSuppression, SmsSuppression } from '@parley/sdk';
import { useNavigate } from '@tanstack/react-router';
import { humanize, PlainBadge } from '../../parts/badge.tsx';
import { DialogButton } from '../../parts/dialog.tsx';
import { FillCommand } from '../../parts/fill-command.tsx';
import { Form } from '../../parts/form.tsx';
import { Empty, Page } from '../../parts/page.tsx';
import { type Column, RecordTable } from '../../parts/record-table.tsx';
import { RowButton } from '../../parts/row-button.tsx';
import { Time } from '../../parts/time.tsx';
import { parley } from '../../session/client.ts';
import { useAction } from '../../state/use-action.tsx';
import { useFilters } from '../../state/use-filters.ts';
import { useForm } from '../../state/use-form.ts';
import { type ListQuery, useList } from '../../state/use-list.ts';

type Suppression = Pick<
  EmailSuppression | SmsSuppression,
  'id' | 'recipient' | 'channel' | 'reason' | 'source' | 'created_at'
>;

function Lift({ suppression }: { suppression: Suppression }) {
  const lift = useAction(
    () =>
      suppression.channel === 'email'
        ? parley.emailSuppressions.delete(suppression.id)
        : parley.sms.deleteSuppression(suppression.id),
    {
      changes: ['suppressions'],
      message: `${suppression.recipient} can be contacted again.`,
      toast_error: true,
    },
  );
  return (
    <RowButton
      loading={lift.busy}
      onClick={() => lift.run(undefined)}
      aria-label={`Remove ${suppression.recipient}`}
    >
      Remove
    </RowButton>
  );
}

const columns: Column<Suppression>[] = [
  {
    title: 'Recipient',
    width: 'minmax(9rem, 1.5fr)',
    cell: ({ recipient }) => <strong>{recipient}</strong>,
  },
  {
    title: 'Reason',
    width: 'minmax(6.5rem, 1fr)',
    cell: ({ reason }) => <PlainBadge>{humanize(reason)}</PlainBadge>,
  },
  { title: 'Source', width: 'minmax(6rem, 1fr)', wide: true, cell: ({ source }) => humanize(source) },
  { title: 'Since', width: '7rem', wide: true, cell: ({ created_at }) => <Time at={created_at} /> },
  { title: 'Actions', width: '5rem', cell: (suppression) => <Lift suppression={suppression} /> },
];

function AddForm({ close }: { close(): void }) {
  const form = useForm<{ channel: string; recipient: string }, { recipient: string }>(
    { channel: 'email', recipient: '' },
    ({ channel, recipient }) =>
      channel === 'email'
        ? parley.emailSuppressions.create({ recipient })
        : parley.sms.createSuppression({ recipient }),
    {
      changes: ['suppressions'],
      message: ({ recipient }) => `${recipient} is suppressed.`,
      done: close,
    },
  );
  return (
    <Form action={form} submit="Suppress">
      <NativeSelect
        label="Channel"
        {...form.field('channel')}
        data={[
          { value: 'email', label: 'Email' },
          { value: 'sms', label: 'SMS' },
        ]}
      />
      <TextInput
        label={form.fields.channel === 'email' ? 'Address' : 'Number'}
        {...form.field('recipient')}
        required
      />
    </Form>
  );
}

export function SuppressionsPage() {
  const { channel = 'email' } = useFilters();
  const navigate = useNavigate();
  const emails = useList(['suppressions', 'email'], (query) => parley.emailSuppressions.list(query));
  const texts = useList(['suppressions', 'sms'], (query) => parley.sms.listSuppressions(query));
  const table = (
    query: ListQuery<EmailSuppression> | ListQuery<SmsSuppression>,
    path: string,
    recipient: string,
  ) => (
    <RecordTable
      label="Suppressions"
      query={query as ListQuery<Suppression>}
      columns={columns}
      empty={
        <Empty title="No suppressed recipients" command={<FillCommand path={path} body={{ recipient }} />}>
          Hard bounces, complaints and STOP replies add entries automatically. This adds one by hand:
        </Empty>
      }
    />
  );
  return (
    <Page
      title="Suppressions"
      about="Recipients who are not contacted. Sending to them is rejected."
      actions={
        <DialogButton label="Suppress a recipient">{(close) => <AddForm close={close} />}</DialogButton>
      }
    >
      <Tabs
        value={channel}
        onChange={(value) =>
          void navigate({
            to: '/suppressions',
            search: { channel: value ?? 'email' } as never,
            replace: true,
          })
        }
        keepMounted={false}
      >
        <Tabs.List aria-label="Channel" mb="md">
          <Tabs.Tab value="email">Email</Tabs.Tab>
          <Tabs.Tab value="sms">SMS</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="email">{table(emails, '/v1/email-suppressions', 'nobody@example.com')}</Tabs.Panel>
        <Tabs.Panel value="sms">{table(texts, '/v1/sms/suppressions', '+14155550123')}</Tabs.Panel>
      </Tabs>
    </Page>
  );
}
