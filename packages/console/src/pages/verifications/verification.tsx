// One verification: its checklist with the fields to fill in, its facts and its timeline.
import type { Verification, VerificationEvent } from '@parley/sdk';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { humanize } from '../../parts/badge.tsx';
import { CopyText } from '../../parts/copy.tsx';
import { ConfirmButton } from '../../parts/dialog.tsx';
import { Card, Facts, Page, Read } from '../../parts/page.tsx';
import { Time } from '../../parts/time.tsx';
import { Timeline, type TimelineEntry } from '../../parts/timeline.tsx';
import { parley } from '../../session/client.ts';
import { useAction } from '../../state/use-action.tsx';
import { useVerification, VerificationChecklist } from './verification-checklist.tsx';
import { kindLabels } from './verifications.tsx';

function Cancel({ verification }: { verification: Verification }) {
  const cancel = useAction(() => parley.verifications.cancel(verification.id), {
    changes: ['verifications'],
    message: 'The verification was canceled.',
    toast_error: true,
  });
  if (verification.state === 'approved' || verification.state === 'canceled') return null;
  return (
    <ConfirmButton
      label="Cancel it"
      question="Cancel this verification? Its documents are deleted."
      busy={cancel.busy}
      onConfirm={() => cancel.run(undefined)}
    />
  );
}

const entryOf = ({ id, kind, attempt, problems, created_at }: VerificationEvent): TimelineEntry => ({
  id,
  kind,
  title: attempt > 1 ? `${humanize(kind)} (attempt ${attempt})` : humanize(kind),
  occurred_at: created_at,
  detail: {},
  body: problems.map(({ message }) => (
    <div key={message} className="small muted">
      {message}
    </div>
  )),
});

function History({ verification }: { verification: Verification }) {
  const events = useQuery({
    queryKey: ['verifications', verification.id, 'events', verification.updated_at],
    queryFn: async () => (await parley.verifications.listEvents(verification.id, { limit: 50 })).items,
  });
  return (
    <Card title="Timeline">
      <Read query={events}>{(items) => <Timeline entries={items.map(entryOf).toReversed()} />}</Read>
    </Card>
  );
}

const Details = ({ verification }: { verification: Verification }) => (
  <Card title="Details">
    <Facts
      of={[
        ['Kind', kindLabels[verification.kind]],
        ['Country', `${verification.country_code}, ${verification.number_type.replace('_', ' ')}`],
        ['Carrier', verification.provider],
        ['Submitted', <Time key="submitted" at={verification.submitted_at} />],
        ['Approved', <Time key="approved" at={verification.approved_at} />],
        ['Corrections until', <Time key="editable" at={verification.editable_until} />],
        ['Expires', <Time key="expires" at={verification.expires_at} />],
        ['Id', <CopyText key="id" text={verification.id} label="the id of the verification" />],
      ]}
    />
  </Card>
);

export function VerificationPage() {
  const { id = '' } = useParams({ strict: false }) as { id?: string };
  const verification = useVerification(id);
  return (
    <Page
      title={verification.data?.subject_name ?? 'Verification'}
      back={{ to: '/verifications', label: 'Verifications' }}
      actions={verification.data && <Cancel verification={verification.data} />}
    >
      <Read query={verification}>
        {(found) => (
          <div className="stack">
            <Card title="Checklist">
              <VerificationChecklist verification={found} />
            </Card>
            <div className="grid two">
              <Details verification={found} />
              <History verification={found} />
            </div>
          </div>
        )}
      </Read>
    </Page>
  );
}
