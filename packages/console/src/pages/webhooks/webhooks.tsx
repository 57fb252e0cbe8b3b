// Webhook subscriptions, and the event catalog.

import { events } from 'virtual:contract/events';
import { Button, Checkbox, Tabs, TextInput } from '@mantine/core';
import type {
  WebhookSubscription,
  WebhookSubscriptionCreate,
  WebhookSubscriptionWithSecret,
} from '@parley/sdk';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { JsonView, SecretOnce } from '../../parts/copy.tsx';
import { DialogButton } from '../../parts/dialog.tsx';
import { FillCommand } from '../../parts/fill-command.tsx';
import { Form } from '../../parts/form.tsx';
import { PageLink } from '../../parts/link.tsx';
import { Card, Empty, Page } from '../../parts/page.tsx';
import { type Column, RecordTable } from '../../parts/record-table.tsx';
import { Time } from '../../parts/time.tsx';
import { Health } from '../../parts/webhook-health.tsx';
import { parley } from '../../session/client.ts';
import { useFilters } from '../../state/use-filters.ts';
import { useForm } from '../../state/use-form.ts';
import { useList } from '../../state/use-list.ts';

type EventTypes = WebhookSubscriptionCreate['event_types'];

const columns: Column<WebhookSubscription>[] = [
  {
    title: 'URL',
    width: 'minmax(10rem, 2fr)',
    cell: ({ id, target_url }) => (
      <PageLink to={`/webhooks/${id}`} className="row-link">
        {target_url}
      </PageLink>
    ),
  },
  { title: 'Health', width: 'minmax(14rem, 1.6fr)', cell: (hook) => <Health hook={hook} /> },
  {
    title: 'Notified of',
    width: 'minmax(8rem, 1fr)',
    wide: true,
    cell: ({ event_types }) =>
      event_types.length === events.length
        ? 'everything'
        : `${event_types.length} of ${events.length} events`,
  },
  { title: 'Created', width: '6.5rem', wide: true, cell: ({ created_at }) => <Time at={created_at} /> },
];

export function EventPicker({
  chosen,
  onChange,
}: {
  chosen: readonly string[];
  onChange(next: string[]): void;
}) {
  return (
    <fieldset className="plain stack tight">
      <legend>Events</legend>
      <div className="row">
        <Button size="compact-xs" variant="default" onClick={() => onChange(events.map(({ type }) => type))}>
          All
        </Button>
        <Button size="compact-xs" variant="default" onClick={() => onChange([])}>
          None
        </Button>
      </div>
      <div
        style={{
          display: 'grid',
          gridTemplateColumns: 'repeat(auto-fill, minmax(13rem, 1fr))',
          gap: '0.35rem',
        }}
      >
        {events.map(({ type }) => (
          <Checkbox
            key={type}
            size="xs"
            label={type}
            checked={chosen.includes(type)}
            onChange={(event) =>
              onChange(
                event.currentTarget.checked ? [...chosen, type] : chosen.filter((each) => each !== type),
              )
            }
          />
        ))}
      </div>
    </fieldset>
  );
}

function MakeForm({ onMade }: { onMade(created: WebhookSubscriptionWithSecret): void }) {
  const form = useForm(
    { target_url: '', event_types: events.map(({ type }) => type) },
    ({ target_url, event_types }) =>
      parley.webhooks.create({ target_url, event_types: event_types as EventTypes }),
    { changes: ['webhooks'], done: onMade },
  );
  return (
    <Form action={form} submit="Add webhook">
      <TextInput
        label="URL"
        type="url"
        placeholder="http://127.0.0.1:3000/hook"
        {...form.field('target_url')}
        required
      />
      <EventPicker chosen={form.fields.event_types} onChange={(event_types) => form.set({ event_types })} />
    </Form>
  );
}

const Catalogue = () => (
  <div className="stack">
    {events.map(({ type, meaning, example }) => (
      <Card key={type} title={<span className="mono">{type}</span>}>
        <p style={{ margin: 0 }}>{meaning}</p>
        <details style={{ marginTop: '0.5rem' }}>
          <summary>Example data</summary>
          <JsonView value={example} label={`the example of ${type}`} />
        </details>
      </Card>
    ))}
  </div>
);

export function WebhooksPage() {
  const { part = 'subscriptions' } = useFilters();
  const navigate = useNavigate();
  const [fresh, setFresh] = useState<WebhookSubscriptionWithSecret | null>(null);
  const hooks = useList(['webhooks'], (query) => parley.webhooks.list(query));
  return (
    <Page
      title="Webhooks"
      about="Your program receives signed events, with retries until it accepts them."
      actions={
        <DialogButton label="Add a webhook">
          {(close) => (
            <MakeForm
              onMade={(created) => {
                setFresh(created);
                close();
              }}
            />
          )}
        </DialogButton>
      }
    >
      {fresh && (
        <SecretOnce
          title={`Signing secret for ${fresh.target_url}`}
          secret={fresh.secret}
          done={() => setFresh(null)}
        />
      )}
      <Tabs
        value={part}
        onChange={(value) =>
          void navigate({
            to: '/webhooks',
            search: { part: value ?? 'subscriptions' } as never,
            replace: true,
          })
        }
        keepMounted={false}
      >
        <Tabs.List aria-label="Section" mb="md">
          <Tabs.Tab value="subscriptions">Subscriptions</Tabs.Tab>
          <Tabs.Tab value="events">Event catalog</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="subscriptions">
          <RecordTable
            label="Webhooks"
            query={hooks}
            columns={columns}
            empty={
              <Empty
                title="No webhooks yet"
                command={
                  <FillCommand
                    path="/v1/webhooks"
                    body={{
                      target_url: 'http://127.0.0.1:3000/hook',
                      event_types: ['email.delivered', 'call.completed'],
                    }}
                  />
                }
              >
                This adds one:
              </Empty>
            }
          />
        </Tabs.Panel>
        <Tabs.Panel value="events">
          <Catalogue />
        </Tabs.Panel>
      </Tabs>
    </Page>
  );
}
