// One webhook: its status, its delivery log, and actions to retry deliveries.
import { Button, TextInput } from '@mantine/core';
import type { WebhookDelivery, WebhookSubscription, WebhookSubscriptionPatch } from '@parley/sdk';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { humanize, StatusBadge } from '../../parts/badge.tsx';
import { CopyText, SecretOnce } from '../../parts/copy.tsx';
import { ConfirmButton, DialogButton } from '../../parts/dialog.tsx';
import { Form } from '../../parts/form.tsx';
import { PageLink } from '../../parts/link.tsx';
import { Card, Empty, Facts, Page, Read } from '../../parts/page.tsx';
import { Problem } from '../../parts/problem.tsx';
import { type Column, RecordTable } from '../../parts/record-table.tsx';
import { RowButton } from '../../parts/row-button.tsx';
import { StatusFilter } from '../../parts/status-filter.tsx';
import { Time } from '../../parts/time.tsx';
import { HealthBadge, HealthText } from '../../parts/webhook-health.tsx';
import { parley } from '../../session/client.ts';
import { useAheadMs } from '../../state/reads.ts';
import { useAction } from '../../state/use-action.tsx';
import { useFilters } from '../../state/use-filters.ts';
import { useForm } from '../../state/use-form.ts';
import { useList } from '../../state/use-list.ts';
import { CertifyReceiver } from './webhook-certification.tsx';
import { EventPicker } from './webhooks.tsx';

/** As webhookDeadStreakLimit of the contract, whose module would load every event. */
const dead_streak_limit = 50;

export const useRedelivery = ({ id, subscription_id }: Pick<WebhookDelivery, 'id' | 'subscription_id'>) =>
  useAction(() => parley.webhooks.redeliver(subscription_id, id), {
    changes: ['webhooks'],
    message: 'One attempt was started.',
    toast_error: true,
  });

function Redeliver({ delivery }: { delivery: WebhookDelivery }) {
  const again = useRedelivery(delivery);
  return (
    <RowButton loading={again.busy} onClick={() => again.run(undefined)}>
      Redeliver
    </RowButton>
  );
}

const columns: Column<WebhookDelivery>[] = [
  {
    title: 'Event',
    width: 'minmax(8rem, 1.2fr)',
    cell: ({ id, subscription_id, event_type, is_test }) => (
      <PageLink to={`/webhooks/${subscription_id}/${id}`} className="row-link">
        {event_type}
        {is_test ? ' (test)' : ''}
      </PageLink>
    ),
  },
  { title: 'Status', width: '6.5rem', cell: ({ status }) => <StatusBadge status={status} /> },
  { title: 'Attempts', width: '5rem', wide: true, cell: ({ attempt_count }) => attempt_count },
  {
    title: 'Last response',
    width: 'minmax(7rem, 1fr)',
    wide: true,
    cell: ({ last_status_code, last_error }) =>
      (last_error ? humanize(last_error) : '') + (last_status_code ? ` ${last_status_code}` : '') || '–',
  },
  {
    title: 'Next attempt',
    width: '7rem',
    wide: true,
    cell: ({ next_attempt_at }) => <Time at={next_attempt_at} />,
  },
  { title: 'Created', width: '6.5rem', wide: true, cell: ({ created_at }) => <Time at={created_at} /> },
  { title: 'Actions', width: '6.5rem', cell: (delivery) => <Redeliver delivery={delivery} /> },
];

const day_ms = 86_400_000;
const utcMinutes = (at_ms: number) => new Date(at_ms).toISOString().slice(0, 16);

/** Retries every dead delivery created since a time, one after the other. */
function ReplayForm({ subscription_id, close }: { subscription_id: string; close(): void }) {
  const ahead_ms = useAheadMs();
  const [chosen, setSince] = useState<string | null>(null);
  // A delivery is retried for a day before it is dead.
  const since = chosen ?? utcMinutes(Date.now() + ahead_ms - 7 * day_ms);
  const replay = useAction(
    async () => {
      const from = new Date(`${since}Z`).toISOString();
      let count = 0;
      for await (const delivery of parley.webhooks.listDeliveries(subscription_id, {
        status: 'dead',
        limit: 200,
      })) {
        if (delivery.created_at < from) break;
        await parley.webhooks.redeliver(subscription_id, delivery.id);
        count++;
      }
      return count;
    },
    {
      changes: ['webhooks'],
      message: (count) =>
        count === 0
          ? 'No dead deliveries were created since then.'
          : `${count} ${count === 1 ? 'delivery is' : 'deliveries are'} being retried.`,
      done: close,
    },
  );
  return (
    <Form action={replay} submit="Retry deliveries">
      <TextInput
        type="datetime-local"
        label="Since (UTC)"
        description="Every dead delivery created since then is attempted once more."
        value={since}
        onChange={(event) => setSince(event.currentTarget.value)}
        required
      />
    </Form>
  );
}

function ChangeForm({ hook, close }: { hook: WebhookSubscription; close(): void }) {
  const form = useForm(
    { target_url: hook.target_url, event_types: hook.event_types },
    ({ target_url, event_types }) =>
      parley.webhooks.update(hook.id, {
        target_url,
        event_types: event_types as NonNullable<WebhookSubscriptionPatch['event_types']>,
      }),
    { changes: ['webhooks'], message: 'Saved.', done: close },
  );
  return (
    <Form action={form} submit="Save">
      <TextInput label="URL" {...form.field('target_url')} required />
      <EventPicker chosen={form.fields.event_types} onChange={(event_types) => form.set({ event_types })} />
    </Form>
  );
}

function Actions({ hook, onSecret }: { hook: WebhookSubscription; onSecret(secret: string): void }) {
  const navigate = useNavigate();
  const test = useAction(() => parley.webhooks.test(hook.id), {
    changes: ['webhooks'],
    message: 'A test event was sent.',
    toast_error: true,
  });
  const rotate = useAction(() => parley.webhooks.rotateSecret(hook.id), {
    changes: ['webhooks'],
    done: ({ secret }) => onSecret(secret),
    toast_error: true,
  });
  const remove = useAction(() => parley.webhooks.delete(hook.id), {
    changes: ['webhooks'],
    message: 'The webhook was deleted.',
    done: () => void navigate({ to: '/webhooks' }),
    toast_error: true,
  });
  return (
    <>
      <Button loading={test.busy} onClick={() => test.run(undefined)}>
        Send a test event
      </Button>
      <DialogButton label="Retry failed" title="Retry failed deliveries" variant="default">
        {(close) => <ReplayForm subscription_id={hook.id} close={close} />}
      </DialogButton>
      <DialogButton label="Edit" title="Edit webhook" variant="default">
        {(close) => <ChangeForm hook={hook} close={close} />}
      </DialogButton>
      <ConfirmButton
        label="Rotate the secret"
        question="Create a new secret? Deliveries are signed with both secrets for 24 hours."
        busy={rotate.busy}
        onConfirm={() => rotate.run(undefined)}
      />
      <ConfirmButton
        label="Delete"
        question="Delete this webhook and its log?"
        busy={remove.busy}
        onConfirm={() => remove.run(undefined)}
      />
    </>
  );
}

function DisabledNote({ hook }: { hook: WebhookSubscription }) {
  const enable = useAction(() => parley.webhooks.update(hook.id, { status: 'active' }), {
    changes: ['webhooks'],
    message: 'The webhook is enabled again.',
  });
  if (hook.status === 'active') return null;
  return (
    <div className="problem" role="alert">
      <strong>
        {hook.disabled_reason === 'kept_failing'
          ? `Disabled: ${hook.dead_streak} consecutive deliveries failed.`
          : 'This webhook is disabled.'}
      </strong>
      <p>No events are queued for it while it is disabled.</p>
      {enable.error && <Problem error={enable.error} />}
      <Button size="xs" mt="xs" loading={enable.busy} onClick={() => enable.run(undefined)}>
        Enable
      </Button>
    </div>
  );
}

const WebhookFacts = ({ hook }: { hook: WebhookSubscription }) => (
  <Facts
    of={[
      [
        'Health',
        <span key="health" className="row">
          <HealthBadge hook={hook} />
          <HealthText hook={hook} />
        </span>,
      ],
      ['Last failure', <Time key="failed" at={hook.recent_deliveries.last_failed_at} />],
      [
        'Events',
        <span key="events" className="mono">
          {hook.event_types.join(', ')}
        </span>,
      ],
      ['Given up in a row', `${hook.dead_streak}; ${dead_streak_limit} disable the webhook`],
      ...(hook.previous_secret_expires_at
        ? ([['Previous secret valid until', <Time key="old" at={hook.previous_secret_expires_at} />]] as [
            string,
            ReactNode,
          ][])
        : []),
      ['Id', <CopyText key="id" text={hook.id} label="the id of the webhook" />],
    ]}
  />
);

export function WebhookPage() {
  const { id = '' } = useParams({ strict: false }) as { id?: string };
  const { status } = useFilters();
  const navigate = useNavigate();
  const [secret, setSecret] = useState<string | null>(null);
  const hook = useQuery({ queryKey: ['webhooks', id], queryFn: () => parley.webhooks.get(id) });
  const deliveries = useList(
    ['webhooks', id, 'deliveries', status],
    (query) =>
      parley.webhooks.listDeliveries(id, {
        ...query,
        ...(status ? { status: status as WebhookDelivery['status'] } : {}),
      }),
    { refetch_ms: 3000 },
  );
  return (
    <Page
      title={hook.data?.target_url ?? 'Webhook'}
      back={{ to: '/webhooks', label: 'Webhooks' }}
      actions={hook.data && <Actions hook={hook.data} onSecret={setSecret} />}
    >
      {secret && <SecretOnce title="The new signing secret" secret={secret} done={() => setSecret(null)} />}
      <Read query={hook}>
        {(found) => (
          <>
            <DisabledNote hook={found} />
            <Card>
              <WebhookFacts hook={found} />
            </Card>
            <CertifyReceiver subscription_id={found.id} />
          </>
        )}
      </Read>
      <div className="row spread">
        <h2 style={{ fontSize: 16, margin: 0 }}>Deliveries</h2>
        <StatusFilter
          of="webhook_delivery"
          aria-label="Status of deliveries"
          size="xs"
          value={status}
          onChange={(next) =>
            void navigate({
              to: `/webhooks/${id}`,
              search: (next ? { status: next } : {}) as never,
              replace: true,
            })
          }
        />
      </div>
      <RecordTable
        label="Deliveries"
        query={deliveries}
        columns={columns}
        empty={<Empty title="No deliveries">Send a test event to see one.</Empty>}
      />
    </Page>
  );
}
