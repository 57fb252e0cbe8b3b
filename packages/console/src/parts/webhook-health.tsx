// Whether a webhook works, from the last attempt of each recent delivery.
import type { WebhookSubscription } from '@parley/sdk';
import { humanize, PlainBadge, type Tone } from './badge.tsx';
import { Time } from './time.tsx';

type Subscription = Pick<WebhookSubscription, 'status' | 'disabled_reason' | 'recent_deliveries'>;

function stateOf({ status, disabled_reason, recent_deliveries: recent }: Subscription): [string, Tone] {
  if (status === 'disabled')
    return disabled_reason === 'kept_failing'
      ? ['disabled after repeated failures', 'bad']
      : ['disabled', 'still'];
  if (recent.failing_since) return ['failing', 'bad'];
  if (recent.count === 0) return ['no deliveries yet', 'still'];
  return recent.failed_count > 0 ? ['some failed', 'warn'] : ['healthy', 'good'];
}

export function HealthBadge({ hook }: { hook: Subscription }) {
  const [label, tone] = stateOf(hook);
  return <PlainBadge tone={tone}>{label}</PlainBadge>;
}

/** How many recent deliveries failed, and since when. */
export const HealthText = ({ hook: { recent_deliveries: recent } }: { hook: Subscription }) =>
  recent.failed_count === 0 ? null : (
    <span className="small muted">
      {recent.failed_count} of {recent.count} failed
      {recent.failing_since ? (
        <>
          , since <Time at={recent.failing_since} />
        </>
      ) : (
        recent.last_failed_at && (
          <>
            , last <Time at={recent.last_failed_at} />
          </>
        )
      )}
      {recent.last_error ? `: ${humanize(recent.last_error)}` : ''}
    </span>
  );

export const Health = ({ hook }: { hook: Subscription }) => (
  <span className="row" style={{ flexWrap: 'nowrap', gap: 8, maxWidth: '100%' }}>
    <HealthBadge hook={hook} />
    <span className="clip">
      <HealthText hook={hook} />
    </span>
  </span>
);
