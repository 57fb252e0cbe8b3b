// The first page: statistics of the channels, webhook health, and the first steps.
import { NativeSelect, SegmentedControl } from '@mantine/core';
import type { WebhookSubscription } from '@parley/sdk';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useMemo } from 'react';
import { humanize } from '../parts/badge.tsx';
import { LinkButton, PageLink } from '../parts/link.tsx';
import { MissingTransport } from '../parts/missing-transport.tsx';
import { Card, Empty, Page, Read } from '../parts/page.tsx';
import { Plot } from '../parts/plot.tsx';
import { duration, Time } from '../parts/time.tsx';
import { Health } from '../parts/webhook-health.tsx';
import {
  callStatistics,
  emailStatistics,
  first_range,
  type Range,
  recentEvents,
  useAheadMs,
  useWebhooks,
} from '../state/reads.ts';
import { type Filters, useFilters } from '../state/use-filters.ts';
import { GoLiveCard } from './overview-go-live.tsx';
import { GettingStarted } from './overview-start.tsx';

const by_hour = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
});
const by_day = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' });
const percent = (rate: number) => `${(rate * 100).toFixed(rate > 0 && rate < 0.1 ? 1 : 0)} %`;

const ranges = [
  { value: '1', label: 'Last 24 hours' },
  { value: '7', label: 'Last 7 days' },
  { value: '30', label: 'Last 30 days' },
  { value: '90', label: 'Last 90 days' },
];

function EmailStatistics({ days, bucket }: Range) {
  const ahead_ms = useAheadMs();
  const statistics = useQuery({
    ...emailStatistics({ days, bucket }, ahead_ms),
    placeholderData: (before) => before,
  });
  const series = statistics.data?.series;
  const times = useMemo(() => (series ?? []).map(({ bucket_start }) => Date.parse(bucket_start)), [series]);
  const lines = useMemo(() => {
    const line = (label: string, color: string, name: 'sent' | 'delivered' | 'bounced' | 'opened') => ({
      label,
      color,
      values: (series ?? []).map((counters) => counters[name]),
    });
    return [
      line('Sent', '#5660d8', 'sent'),
      line('Delivered', '#1f9d62', 'delivered'),
      line('Opened', '#c98a12', 'opened'),
      line('Bounced', '#d5483e', 'bounced'),
    ];
  }, [series]);

  return (
    <Read query={statistics}>
      {({ totals, rates }) => {
        const figures: [string, number, string | null][] = [
          ['Sent', totals.sent, null],
          ['Delivered', totals.delivered, percent(rates.delivery)],
          ['Bounced', totals.bounced, percent(rates.bounce)],
          ['Complained', totals.complained, percent(rates.complaint)],
          ['Opened', totals.unique_opened, percent(rates.open)],
          ['Clicked', totals.unique_clicked, percent(rates.click)],
        ];
        return (
          <div className="stack">
            <dl className="figures" aria-label="Email figures">
              {figures.map(([label, count, rate]) => (
                <div className="figure" key={label}>
                  <dt>{label}</dt>
                  <dd>
                    {count.toLocaleString('en')}
                    {rate && <small>{rate}</small>}
                  </dd>
                </div>
              ))}
            </dl>
            <Plot
              times={times}
              lines={lines}
              time_format={bucket === 'hour' ? by_hour : by_day}
              summary={`Emails by ${bucket}: ${totals.sent} sent, ${totals.delivered} delivered, ${totals.bounced} bounced, ${totals.opened} opens.`}
            />
          </div>
        );
      }}
    </Read>
  );
}

function CallsByStatus({ days }: { days: number }) {
  const counts = useQuery({ ...callStatistics(days), placeholderData: (before) => before });
  return (
    <Card title="Calls by status" actions={<PageLink to="/calls">All calls</PageLink>}>
      <Read query={counts}>
        {({ total, by_status, duration_seconds }) =>
          total === 0 ? (
            <p className="muted">No calls in this time.</p>
          ) : (
            <>
              <div className="bars">
                {Object.entries(by_status)
                  .filter(([, count]) => count > 0)
                  .map(([status, count]) => (
                    <div className="bar" key={status}>
                      <span>{humanize(status)}</span>
                      <i style={{ width: `${(count / total) * 100}%` }} />
                      <b>{count}</b>
                    </div>
                  ))}
              </div>
              <p className="muted small">{duration(duration_seconds)} of conversation in total.</p>
            </>
          )
        }
      </Read>
    </Card>
  );
}

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
      <Card
        title="Email"
        actions={
          <>
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
          </>
        }
      >
        <EmailStatistics days={days} bucket={bucket} />
      </Card>
      <div className="grid">
        <CallsByStatus days={days} />
        <WebhookHealth />
      </div>
      <RecentEvents />
    </Page>
  );
}
