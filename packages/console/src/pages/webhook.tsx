// One webhook: whether it is on, its log of deliveries, and the ways to send them again.
import { Button, TextInput } from '@mantine/core';
import type { WebhookDelivery, WebhookSubscription, WebhookSubscriptionPatch } from '@parley/sdk';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { inWords, StatusBadge } from '../parts/badge.tsx';
import { CopyText, SecretOnce } from '../parts/copy.tsx';
import { ConfirmButton, DialogButton } from '../parts/dialog.tsx';
import { Form } from '../parts/form.tsx';
import { Go } from '../parts/link.tsx';
import { Card, Empty, Facts, Page, Read } from '../parts/page.tsx';
import { Problem } from '../parts/problem.tsx';
import { type Column, RecordTable } from '../parts/record-table.tsx';
import { RowButton } from '../parts/row-button.tsx';
import { StatusFilter } from '../parts/status-filter.tsx';
import { Time } from '../parts/time.tsx';
import { parley } from '../session/client.ts';
import { useAheadMs } from '../state/reads.ts';
import { useAction } from '../state/use-action.tsx';
import { useFilters } from '../state/use-filters.ts';
import { useForm } from '../state/use-form.ts';
import { useList } from '../state/use-list.ts';
import { EventPicker } from './webhooks.tsx';

export const useRedelivery = ({ id, subscription_id }: Pick<WebhookDelivery, 'id' | 'subscription_id'>) =>
  useAction(() => parley.webhooks.redeliver(subscription_id, id), {
    changes: ['webhooks'],
    says: 'One attempt is on its way.',
    loud: true,
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
      <Go to={`/webhooks/${subscription_id}/${id}`} className="row-link">
        {event_type}
        {is_test ? ' (test)' : ''}
      </Go>
    ),
  },
  { title: 'State', width: '6.5rem', cell: ({ status }) => <StatusBadge status={status} /> },
  { title: 'Attempts', width: '5rem', wide: true, cell: ({ attempt_count }) => attempt_count },
  {
    title: 'Last answer',
    width: 'minmax(7rem, 1fr)',
    wide: true,
    cell: ({ last_status_code, last_error }) =>
      (last_error ? inWords(last_error) : '') + (last_status_code ? ` ${last_status_code}` : '') || '–',
  },
  {
    title: 'Next attempt',
    width: '7rem',
    wide: true,
    cell: ({ next_attempt_at }) => <Time at={next_attempt_at} />,
  },
  { title: 'Made', width: '6.5rem', wide: true, cell: ({ created_at }) => <Time at={created_at} /> },
  { title: 'Again', width: '6.5rem', cell: (delivery) => <Redeliver delivery={delivery} /> },
];

const day_ms = 86_400_000;
const utcMinutes = (at_ms: number) => new Date(at_ms).toISOString().slice(0, 16);

/** Everything that died and was made since a moment, one after the other. */
function ReplayForm({ subscription_id, close }: { subscription_id: string; close(): void }) {
  const ahead_ms = useAheadMs();
  const [chosen, setSince] = useState<string | null>(null);
  // A delivery is a day old before it dies.
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
      says: (count) =>
        count === 0
          ? 'Nothing that was made since then is dead.'
          : `${count} ${count === 1 ? 'delivery is' : 'deliveries are'} tried again.`,
      done: close,
    },
  );
  return (
    <Form action={replay} submit="Replay them">
      <TextInput
        type="datetime-local"
        label="Since (UTC)"
        description="Every dead delivery that was made since then is tried once more."
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
    { changes: ['webhooks'], says: 'Saved.', done: close },
  );
  return (
    <Form action={form} submit="Save">
      <TextInput label="Address" {...form.field('target_url')} required />
      <EventPicker chosen={form.fields.event_types} onChange={(event_types) => form.set({ event_types })} />
    </Form>
  );
}

function Acts({ hook, onSecret }: { hook: WebhookSubscription; onSecret(secret: string): void }) {
  const navigate = useNavigate();
  const test = useAction(() => parley.webhooks.test(hook.id), {
    changes: ['webhooks'],
    says: 'A test event is on its way.',
    loud: true,
  });
  const rotate = useAction(() => parley.webhooks.rotateSecret(hook.id), {
    changes: ['webhooks'],
    done: ({ secret }) => onSecret(secret),
    loud: true,
  });
  const remove = useAction(() => parley.webhooks.delete(hook.id), {
    changes: ['webhooks'],
    says: 'The webhook is deleted.',
    done: () => void navigate({ to: '/webhooks' }),
    loud: true,
  });
  return (
    <>
      <Button loading={test.busy} onClick={() => test.run(undefined)}>
        Send a test event
      </Button>
      <DialogButton label="Replay failed" title="Replay what failed" variant="default">
        {(close) => <ReplayForm subscription_id={hook.id} close={close} />}
      </DialogButton>
      <DialogButton label="Change" title="Change the webhook" variant="default">
        {(close) => <ChangeForm hook={hook} close={close} />}
      </DialogButton>
      <ConfirmButton
        label="Rotate the secret"
        question="Make a new secret? The old one keeps signing beside it for 24 hours."
        busy={rotate.busy}
        onSure={() => rotate.run(undefined)}
      />
      <ConfirmButton
        label="Delete"
        question="Delete this webhook and its log?"
        busy={remove.busy}
        onSure={() => remove.run(undefined)}
      />
    </>
  );
}

function DisabledNote({ hook }: { hook: WebhookSubscription }) {
  const enable = useAction(() => parley.webhooks.update(hook.id, { status: 'active' }), {
    changes: ['webhooks'],
    says: 'The webhook is on again.',
  });
  if (hook.status === 'active') return null;
  return (
    <div className="problem" role="alert">
      <strong>
        {hook.disabled_reason === 'kept_failing'
          ? `Switched off: ${hook.dead_streak} deliveries in a row died.`
          : 'This webhook is switched off.'}
      </strong>
      <p>Nothing is queued for it until it is on again.</p>
      {enable.error && <Problem error={enable.error} />}
      <Button size="xs" mt="xs" loading={enable.busy} onClick={() => enable.run(undefined)}>
        Re-enable
      </Button>
    </div>
  );
}

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
      acts={hook.data && <Acts hook={hook.data} onSecret={setSecret} />}
    >
      {secret && <SecretOnce title="The new signing secret" secret={secret} done={() => setSecret(null)} />}
      <Read query={hook}>
        {(found) => (
          <>
            <DisabledNote hook={found} />
            <Card>
              <Facts
                of={[
                  ['State', <StatusBadge key="state" status={found.status} />],
                  [
                    'Events',
                    <span key="events" className="mono">
                      {found.event_types.join(', ')}
                    </span>,
                  ],
                  ['Dead in a row', `${found.dead_streak} of 50`],
                  ...(found.previous_secret_expires_at
                    ? ([
                        ['Old secret signs until', <Time key="old" at={found.previous_secret_expires_at} />],
                      ] as [string, ReactNode][])
                    : []),
                  ['Id', <CopyText key="id" text={found.id} label="the id of the webhook" />],
                ]}
              />
            </Card>
          </>
        )}
      </Read>
      <div className="row spread">
        <h2 style={{ fontSize: 16, margin: 0 }}>Deliveries</h2>
        <StatusFilter
          of="webhook_delivery"
          aria-label="State of deliveries"
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
