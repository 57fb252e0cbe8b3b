// One delivery: the request, and every attempt with its response.
import { Button } from '@mantine/core';
import type { WebhookAttempt } from '@parley/sdk';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { humanize, PlainBadge, StatusBadge } from '../../parts/badge.tsx';
import { CodeBlock, CopyText, JsonView } from '../../parts/copy.tsx';
import { ExplainCard } from '../../parts/explain.tsx';
import { Card, Facts, Page, Read } from '../../parts/page.tsx';
import { exactTime, Time } from '../../parts/time.tsx';
import { parley } from '../../session/client.ts';
import { useRedelivery } from './webhook.tsx';

const Attempt = ({ attempt, index }: { attempt: WebhookAttempt; index: number }) => (
  <li>
    <span className={`dot ${attempt.error === null ? 'good' : 'bad'}`} />
    <div className="row spread">
      <strong>
        Attempt {index + 1}: {attempt.error === null ? 'accepted' : humanize(attempt.error)}
        {attempt.status_code === null ? '' : ` (${attempt.status_code})`}
      </strong>
      <span className="small muted">
        {attempt.duration_ms} ms ·{' '}
        <time dateTime={attempt.attempted_at}>{exactTime(attempt.attempted_at)}</time>
      </span>
    </div>
    {attempt.response_body && (
      <details>
        <summary className="small muted">Response</summary>
        <CodeBlock code={attempt.response_body} label="the response" />
      </details>
    )}
  </li>
);

export function WebhookDeliveryPage() {
  const { id = '', delivery_id = '' } = useParams({ strict: false }) as { id?: string; delivery_id?: string };
  const delivery = useQuery({
    queryKey: ['webhooks', id, 'deliveries', delivery_id, 'one'],
    queryFn: () => parley.webhooks.getDelivery(id, delivery_id),
    refetchInterval: 2000,
  });
  const again = useRedelivery({ id: delivery_id, subscription_id: id });
  const event_id = delivery.data?.event_id;
  const event = useQuery({
    queryKey: ['events', event_id],
    queryFn: async () => {
      const type = delivery.data!.event_type;
      for await (const each of parley.events.list({ type: type as never, limit: 200 })) {
        if (each.id === event_id) return each;
        if (each.created_at < delivery.data!.created_at) break;
      }
      return null;
    },
    enabled: event_id !== undefined && delivery.data?.is_test === false,
  });
  return (
    <Page
      title={delivery.data?.event_type ?? 'Delivery'}
      back={{ to: `/webhooks/${id}`, label: 'The webhook' }}
      actions={
        delivery.data && (
          <Button variant="default" loading={again.busy} onClick={() => again.run(undefined)}>
            Redeliver
          </Button>
        )
      }
    >
      <Read query={delivery}>
        {(found) => (
          <div className="grid side">
            <div className="stack">
              <Card title="Attempts">
                {found.attempts.length === 0 ? (
                  <p className="muted">None yet.</p>
                ) : (
                  <ol className="timeline">
                    {found.attempts.map((attempt, index) => (
                      <Attempt key={attempt.attempted_at} attempt={attempt} index={index} />
                    ))}
                  </ol>
                )}
              </Card>
              <ExplainCard id={found.id} />
              {event.data && (
                <Card title="Request">
                  <JsonView value={event.data} label="the event" />
                </Card>
              )}
            </div>
            <Card title="Details">
              <Facts
                of={[
                  ['Status', <StatusBadge key="state" status={found.status} />],
                  ['Kind', found.is_test ? <PlainBadge key="kind">test</PlainBadge> : 'event'],
                  ['Attempts', found.attempt_count],
                  ['Next attempt', <Time key="next" at={found.next_attempt_at} />],
                  ['Created', <Time key="created" at={found.created_at} />],
                  ['Delivered', <Time key="delivered" at={found.delivered_at} />],
                  ['Delivery id', <CopyText key="id" text={found.id} label="the id of the delivery" />],
                  ['Event id', <CopyText key="event" text={found.event_id} label="the id of the event" />],
                ]}
              />
            </Card>
          </div>
        )}
      </Read>
    </Page>
  );
}
