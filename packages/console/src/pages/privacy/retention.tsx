// After how many days data is deleted, and how far the newest deletion is.
import { TextInput } from '@mantine/core';
import type { Retention } from '@parley/sdk';
import { useQuery } from '@tanstack/react-query';
import { humanize, StatusBadge } from '../../parts/badge.tsx';
import { Form } from '../../parts/form.tsx';
import { OperatorKeyField } from '../../parts/operator-key.tsx';
import { Card, Facts, Read } from '../../parts/page.tsx';
import { Time } from '../../parts/time.tsx';
import { parley, parleyAsPerson } from '../../session/client.ts';
import { useStoredForm } from '../../state/use-stored-form.ts';

const refetch_ms = 1000;
const kinds = {
  messages: ['Content of messages', 'Bodies, attachments, transcripts and results. Status and times stay.'],
  recordings: ['Recordings', 'Of calls.'],
  records: ['Whole records', 'Emails, texts and calls.'],
  events: ['Events', 'And webhook deliveries. Not longer than the content of messages.'],
  quarantine: ['Quarantine', 'Emails that were kept apart.'],
  requests: ['Request log', 'Which requests were handled, without their bodies.'],
} as const;
type Kind = keyof typeof kinds;
const all_kinds = Object.keys(kinds) as Kind[];

const applied = (days: number | null) =>
  days === null ? 'kept without a limit' : `deleted after ${days} ${days === 1 ? 'day' : 'days'}`;

function DaysForm({ retention }: { retention: Retention }) {
  const form = useStoredForm<Record<Kind, string>, Retention>(
    Object.fromEntries(all_kinds.map((kind) => [kind, retention[kind]?.toString() ?? ''])) as Record<
      Kind,
      string
    >,
    (_, changed) =>
      parleyAsPerson.retention.update(
        Object.fromEntries(
          Object.entries(changed).map(([kind, days]) => [kind, days === '' ? null : Number(days)]),
        ),
      ),
    { changes: ['retention'], message: 'The retention is saved. Older data is being deleted.' },
  );
  return (
    <Form action={form} submit="Save retention">
      <p style={{ margin: 0 }}>
        Days until data is deleted. Deleted data cannot be restored. Empty: the setting of this server.
      </p>
      {all_kinds.map((kind) => (
        <TextInput
          key={kind}
          label={kinds[kind][0]}
          description={`${kinds[kind][1]} Now ${applied(retention.effective[kind])}.`}
          type="number"
          min={1}
          max={3650}
          {...form.field(kind)}
        />
      ))}
      <OperatorKeyField error={form.error} />
    </Form>
  );
}

function LastRun({ run }: { run: NonNullable<Retention['last_run']> }) {
  const removed = Object.entries(run.counts).map(([name, count]) => `${count} ${humanize(name)}`);
  return (
    <Facts
      of={[
        ['Status', <StatusBadge key="status" status={run.status} />],
        ['Works on', run.step && humanize(run.step)],
        ['Removed', removed.join(', ') || 'nothing was old enough'],
        ['Started', <Time key="started" at={run.started_at} />],
        ['Done', run.done_at && <Time key="done" at={run.done_at} />],
      ]}
    />
  );
}

export function RetentionSettings() {
  const retention = useQuery({
    queryKey: ['retention'],
    queryFn: () => parley.retention.get(),
    refetchInterval: ({ state }) => (state.data?.last_run?.status === 'running' ? refetch_ms : false),
  });
  return (
    <>
      <Card title="Retention">
        <Read query={retention}>{(found) => <DaysForm retention={found} />}</Read>
      </Card>
      {retention.data?.last_run && (
        <Card title="Newest deletion">
          <LastRun run={retention.data.last_run} />
        </Card>
      )}
    </>
  );
}
