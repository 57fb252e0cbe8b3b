// The newest check of a webhook receiver: the score, what failed, and the button that starts another one.
import { Button } from '@mantine/core';
import type { WebhookCertification } from '@parley/sdk';
import { useQuery } from '@tanstack/react-query';
import { humanize, StatusBadge } from '../../parts/badge.tsx';
import { Card } from '../../parts/page.tsx';
import { Problem } from '../../parts/problem.tsx';
import { Time } from '../../parts/time.tsx';
import { parley } from '../../session/client.ts';
import { useAction } from '../../state/use-action.tsx';

const refetch_ms = 1000;

export function CertifyReceiver({ subscription_id }: { subscription_id: string }) {
  const newest = useQuery({
    queryKey: ['webhooks', subscription_id, 'certification'],
    queryFn: async () =>
      (await parley.webhooks.listCertifications(subscription_id, { limit: 1 })).items[0] ?? null,
    refetchInterval: ({ state }) => (state.data?.status === 'running' ? refetch_ms : false),
  });
  const certify = useAction(() => parley.webhooks.certify(subscription_id), { changes: ['webhooks'] });
  const is_running = newest.data?.status === 'running';
  return (
    <Card
      title="Receiver check"
      actions={
        <Button
          size="xs"
          variant="default"
          loading={certify.busy || is_running}
          onClick={() => certify.run(undefined)}
        >
          Check the receiver
        </Button>
      }
    >
      {certify.error && <Problem error={certify.error} />}
      {newest.data ? (
        <Certification found={newest.data} />
      ) : (
        <p style={{ margin: 0 }}>
          Sends valid, forged, old and repeated deliveries to the URL and shows which of them it handles
          correctly.
        </p>
      )}
    </Card>
  );
}

function Certification({ found }: { found: WebhookCertification }) {
  if (found.status === 'running') return <p style={{ margin: 0 }}>The requests are being sent.</p>;
  if (found.status === 'failed')
    return <p style={{ margin: 0 }}>The check could not be finished. Start it again.</p>;
  return (
    <div className="stack tight">
      <p style={{ margin: 0 }}>
        <strong>
          {found.score} of 100 ({found.grade})
        </strong>{' '}
        <Time at={found.done_at} />
      </p>
      <ul className="stack tight" style={{ margin: 0, paddingLeft: 0, listStyle: 'none' }}>
        {(found.cases ?? []).map(({ name, passed, got, expected, advice }) => (
          <li key={name}>
            <StatusBadge status={passed ? 'passed' : 'failed'} /> {humanize(name)}:{' '}
            {[...new Set(got.map(({ status, problem }) => status ?? problem))].join(', ') || 'not sent'}
            {!passed && (
              <p style={{ margin: '0.15rem 0 0.35rem' }}>
                {expected} {advice}
              </p>
            )}
          </li>
        ))}
      </ul>
    </div>
  );
}
