// The statistics of each channel: its figures and a plot over time.
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { PageLink } from '../../parts/link.tsx';
import { Card, Read } from '../../parts/page.tsx';
import { type Line, Plot } from '../../parts/plot.tsx';
import { duration } from '../../parts/time.tsx';
import {
  callStatistics,
  emailStatistics,
  type Range,
  textStatistics,
  useAheadMs,
} from '../../state/reads.ts';

const by_hour = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
});
const by_day = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' });
const formatOf = (bucket: Range['bucket']) => (bucket === 'hour' ? by_hour : by_day);
const percent = (rate: number) => `${(rate * 100).toFixed(rate > 0 && rate < 0.1 ? 1 : 0)} %`;

const blue = '#5660d8';
const green = '#1f9d62';
const amber = '#c98a12';
const red = '#d5483e';

type Figure = [label: string, count: number | string, rate?: string | null];

const Figures = ({ label, of }: { label: string; of: Figure[] }) => (
  <dl className="figures" aria-label={label}>
    {of.map(([name, count, rate]) => (
      <div className="figure" key={name}>
        <dt>{name}</dt>
        <dd>
          {count.toLocaleString('en')}
          {rate && <small>{rate}</small>}
        </dd>
      </div>
    ))}
  </dl>
);

/** The lines of a series; each counter is computed from one bucket. */
function useLines<Bucket extends { bucket_start: string }>(
  series: readonly Bucket[] | undefined,
  counters: readonly [label: string, color: string, count: (bucket: Bucket) => number][],
): { times: number[]; lines: Line[] } {
  return useMemo(() => {
    const buckets = series ?? [];
    return {
      times: buckets.map(({ bucket_start }) => Date.parse(bucket_start)),
      lines: counters.map(([label, color, count]) => ({ label, color, values: buckets.map(count) })),
    };
  }, [series, counters]);
}

type EmailBucket = Record<'sent' | 'delivered' | 'opened' | 'bounced', number> & { bucket_start: string };
const email_counters: [string, string, (bucket: EmailBucket) => number][] = [
  ['Sent', blue, ({ sent }) => sent],
  ['Delivered', green, ({ delivered }) => delivered],
  ['Opened', amber, ({ opened }) => opened],
  ['Bounced', red, ({ bounced }) => bounced],
];

export function EmailStatistics({ days, bucket }: Range) {
  const ahead_ms = useAheadMs();
  const statistics = useQuery({
    ...emailStatistics({ days, bucket }, ahead_ms),
    placeholderData: (before) => before,
  });
  const plotted = useLines(statistics.data?.series, email_counters);
  return (
    <Card title="Email" actions={<PageLink to="/emails">All emails</PageLink>}>
      <Read query={statistics}>
        {({ totals, rates }) => (
          <div className="stack">
            <Figures
              label="Email figures"
              of={[
                ['Sent', totals.sent],
                ['Delivered', totals.delivered, percent(rates.delivery)],
                ['Bounced', totals.bounced, percent(rates.bounce)],
                ['Complained', totals.complained, percent(rates.complaint)],
                ['Opened', totals.unique_opened, percent(rates.open)],
                ['Clicked', totals.unique_clicked, percent(rates.click)],
              ]}
            />
            <Plot
              {...plotted}
              time_format={formatOf(bucket)}
              summary={`Emails by ${bucket}: ${totals.sent} sent, ${totals.delivered} delivered, ${totals.bounced} bounced, ${totals.opened} opens.`}
            />
          </div>
        )}
      </Read>
    </Card>
  );
}

type ByStatus<Status extends string> = { bucket_start: string; by_status: Record<Status, number> };

const call_counters: [
  string,
  string,
  (bucket: ByStatus<'completed' | 'busy' | 'no_answer' | 'failed'>) => number,
][] = [
  ['Completed', green, ({ by_status }) => by_status.completed],
  ['Not answered', amber, ({ by_status }) => by_status.busy + by_status.no_answer],
  ['Failed', red, ({ by_status }) => by_status.failed],
];

export function CallStatistics({ days, bucket }: Range) {
  const statistics = useQuery({
    ...callStatistics({ days, bucket }),
    placeholderData: (before) => before,
  });
  const plotted = useLines(statistics.data?.series, call_counters);
  return (
    <Card title="Calls" actions={<PageLink to="/calls">All calls</PageLink>}>
      <Read query={statistics}>
        {({ by_status, duration_seconds }) => (
          <div className="stack">
            <Figures
              label="Call figures"
              of={[
                ['Completed', by_status.completed],
                ['Not answered', by_status.busy + by_status.no_answer],
                ['Failed', by_status.failed],
                ['Talked', duration(duration_seconds)],
              ]}
            />
            <Plot
              {...plotted}
              height={180}
              time_format={formatOf(bucket)}
              summary={`Calls by ${bucket}: ${by_status.completed} completed, ${by_status.busy + by_status.no_answer} not answered, ${by_status.failed} failed.`}
            />
          </div>
        )}
      </Read>
    </Card>
  );
}

const text_counters: [
  string,
  string,
  (bucket: ByStatus<'queued' | 'sent' | 'delivered' | 'undelivered' | 'failed' | 'received'>) => number,
][] = [
  ['Delivered', green, ({ by_status }) => by_status.delivered],
  ['No report yet', amber, ({ by_status }) => by_status.queued + by_status.sent],
  ['Not delivered', red, ({ by_status }) => by_status.undelivered + by_status.failed],
  ['Received', blue, ({ by_status }) => by_status.received],
];

export function TextStatistics({ days, bucket }: Range) {
  const statistics = useQuery({
    ...textStatistics({ days, bucket }),
    placeholderData: (before) => before,
  });
  const plotted = useLines(statistics.data?.series, text_counters);
  return (
    <Card title="Texts" actions={<PageLink to="/sms">All texts</PageLink>}>
      <Read query={statistics}>
        {({ by_status }) => (
          <div className="stack">
            <Figures
              label="Text figures"
              of={[
                ['Delivered', by_status.delivered],
                ['No report yet', by_status.queued + by_status.sent],
                ['Not delivered', by_status.undelivered + by_status.failed],
                ['Received', by_status.received],
              ]}
            />
            <Plot
              {...plotted}
              height={180}
              time_format={formatOf(bucket)}
              summary={`Texts by ${bucket}: ${by_status.delivered} delivered, ${by_status.undelivered + by_status.failed} not delivered, ${by_status.received} received.`}
            />
          </div>
        )}
      </Read>
    </Card>
  );
}
