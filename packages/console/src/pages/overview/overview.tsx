// The first page: statistics of the channels, webhook health, and the first steps.
import { NativeSelect, SegmentedControl } from '@mantine/core';
import type { WebhookSubscription } from '@parley/sdk';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { LinkButton, PageLink } from '../../parts/link.tsx';
import { MissingTransport } from '../../parts/missing-transport.tsx';
import { Card, Empty, Page, Read } from '../../parts/page.tsx';
import { Time } from '../../parts/time.tsx';
import { Health } from '../../parts/webhook-health.tsx';
import { first_range, recentEvents, useWebhooks } from '../../state/reads.ts';
import { type Filters, useFilters } from '../../state/use-filters.ts';
import { CallStatistics, EmailStatistics, TextStatistics } from './overview-channels.tsx';
import { GoLiveCard } from './overview-go-live.tsx';
import { GettingStarted } from './overview-start.tsx';

const ranges = [
  { value: '1', label: 'Last 24 hours' },
  { value: '7', label: 'Last 7 days' },
  { value: '30', label: 'Last 30 days' },
  { value: '90', label: 'Last 90 days' },
];

const isFailing = ({ status, recent_deliveries }: WebhookSubscription) =>
  status === 'disabled' || recent_deliveries.failing_since !== null;
const worstFirst = (hooks: WebhookSubscription[]) =>
  hooks.toSorted((a, b) => Number(isFailing(b)) - Number(isFailing(a)));

function WebhookHealth() {
  const hooks = useWebhooks();
  return (
    <Card title="Webhook health" actions={<PageLink to="/webhooks">All webhooks</PageLink>}>
      <Read query={hooks}>
        {(subscriptions) =>
          subscriptions.length === 0 ? (
            <p className="muted">No webhook subscriptions yet.</p>
          ) : (
            <ul className="checklist">
              {worstFirst(subscriptions)
                .slice(0, 6)
                .map((hook) => (
                  <li key={hook.id} className="stack" style={{ gap: 2 }}>
                    <PageLink to={`/webhooks/${hook.id}`} className="clip">
                      {hook.target_url}
                    </PageLink>
                    <Health hook={hook} />
                  </li>
                ))}
            </ul>
          )
        }
      </Read>
    </Card>
  );
}

const places: Record<string, string> = { call: '/calls', email: '/emails', sms: '/sms' };

function RecentEvents() {
  const events = useQuery(recentEvents);
  return (
    <Card title="Recent events">
      <Read query={events}>
        {(items) =>
          items.length === 0 ? (
            <Empty title="Nothing yet">Send an email or place a call, and it appears here.</Empty>
          ) : (
            <ul className="checklist">
              {items.map(({ id, type, created_at, data }) => {
                const noun = type.split('.')[0]!;
                const subject = String(data.subject ?? data.to ?? '');
                const to = noun === 'sms' ? '/sms' : `${places[noun]}/${String(data.id)}`;
                return (
                  <li key={id} className="row spread" style={{ flexWrap: 'nowrap' }}>
                    <span className="clip">
                      <PageLink to={to} className="mono">
                        {type}
                      </PageLink>{' '}
                      <span className="muted">{subject}</span>
                    </span>
                    <span className="small muted">
                      <Time at={created_at} />
                    </span>
                  </li>
                );
              })}
            </ul>
          )
        }
      </Read>
    </Card>
  );
}

export function OverviewPage() {
  const search = useFilters();
  const navigate = useNavigate();
  const days = Number(search.days) || first_range.days;
  const bucket =
    search.bucket === 'day' || days > 31 ? 'day' : search.bucket === 'hour' || days === 1 ? 'hour' : 'day';
  const change = (next: Filters) => void navigate({ to: '/', search: { ...search, ...next }, replace: true });
  return (
    <Page
      title="Overview"
      about="Every channel at a glance, updated live."
      actions={<LinkButton to="/compose">Compose</LinkButton>}
    >
      <MissingTransport of={['carrier', 'mail_transport']} />
      <GettingStarted />
      <GoLiveCard />
      <div className="row end">
        <NativeSelect
          size="xs"
          aria-label="Time range"
          data={ranges}
          value={String(days)}
          onChange={(event) => change({ days: event.currentTarget.value, bucket: undefined })}
        />
        <SegmentedControl
          size="xs"
          aria-label="Bucket"
          value={bucket}
          disabled={days > 31}
          onChange={(value) => change({ bucket: value })}
          data={[
            { value: 'hour', label: 'Hour' },
            { value: 'day', label: 'Day' },
          ]}
        />
      </div>
      <EmailStatistics days={days} bucket={bucket} />
      <div className="grid">
        <CallStatistics days={days} bucket={bucket} />
        <TextStatistics days={days} bucket={bucket} />
      </div>
      <WebhookHealth />
      <RecentEvents />
    </Page>
  );
}
