// One call: its status, the live transcript, the response times and the recording.
import { Button } from '@mantine/core';
import type { Call } from '@parley/sdk';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { lazy, Suspense, useRef } from 'react';
import { humanize, StatusBadge } from '../parts/badge.tsx';
import { ConsentLinks } from '../parts/consent-links.tsx';
import { CopyText, JsonView } from '../parts/copy.tsx';
import { HoldNotice } from '../parts/hold.tsx';
import { Card, Facts, Page, Read } from '../parts/page.tsx';
import { duration, Time } from '../parts/time.tsx';
import { Timeline } from '../parts/timeline.tsx';
import { parley } from '../session/client.ts';
import { end_reason_text, final_calls } from '../state/status-text.ts';
import { useAction } from '../state/use-action.tsx';
import { CallLatency } from './call-latency.tsx';
import type { Player } from './call-recording.tsx';
import { Transcript } from './call-transcript.tsx';

const Recording = lazy(() =>
  import('./call-recording.tsx').then(({ Recording }) => ({ default: Recording })),
);

const otherOf = ({ direction, to, from }: Call) =>
  [direction === 'outbound' ? to : from].filter((number) => number !== null);

const CallFacts = ({ call }: { call: Call }) => (
  <Facts
    of={[
      ['Status', <StatusBadge key="status" status={call.status} />],
      ['End reason', call.end_reason && (end_reason_text[call.end_reason] ?? humanize(call.end_reason))],
      ['From', call.from && <span className="mono">{call.from}</span>],
      [
        'To',
        <span key="to" className="mono">
          {call.to}
        </span>,
      ],
      ['Answered by', call.answered_by],
      ['Requested', <Time key="requested" at={call.requested_at} />],
      ['Answered', <Time key="answered" at={call.answered_at} />],
      ['Duration', duration(call.duration_seconds)],
      ['Carrier', call.provider],
      ['Consents', <ConsentLinks key="consents" of={otherOf(call)} />],
      ['Id', <CopyText key="id" text={call.id} label="the id of the call" />],
    ]}
  />
);

/** Ringing publishes no event, so a call in progress is polled. */
function useCall(id: string) {
  const call = useQuery({
    queryKey: ['calls', id],
    queryFn: () => parley.calls.get(id),
    refetchInterval: ({ state }) => (state.data && final_calls.has(state.data.status) ? false : 1000),
  });
  const is_over = call.data ? final_calls.has(call.data.status) : false;
  const transcript = useQuery({
    queryKey: ['calls', id, 'transcript'],
    queryFn: () => parley.calls.transcript(id),
    refetchInterval: ({ state }) => (state.data?.is_final ? false : 1000),
  });
  const timeline = useQuery({
    queryKey: ['calls', id, 'events'],
    queryFn: async () =>
      (await parley.calls.events(id, { limit: 200 })).items.toSorted((a, b) => (a.id < b.id ? -1 : 1)),
    refetchInterval: is_over ? false : 1500,
  });
  return { call, is_over, transcript, timeline };
}
type CallQueries = ReturnType<typeof useCall>;

const titleOf = (call: Call | undefined) => {
  if (!call) return 'Call';
  return call.direction === 'outbound' ? `Call to ${call.to}` : `Call from ${call.from ?? 'unknown'}`;
};

const CallHold = ({ call }: { call: Call }) =>
  call.hold && (
    <HoldNotice
      hold={call.hold}
      noun="call"
      changes={['calls']}
      cancel={() => parley.calls.cancel(call.id)}
      move={(scheduled_at) => parley.calls.update(call.id, { scheduled_at })}
    />
  );

export function CallPage() {
  const { id = '' } = useParams({ strict: false }) as { id?: string };
  const queries = useCall(id);
  const { call, is_over, timeline } = queries;
  const hangUp = useAction(() => parley.calls.cancel(id), {
    changes: ['calls'],
    message: 'The call was ended.',
    toast_error: true,
  });

  return (
    <Page
      title={titleOf(call.data)}
      back={{ to: '/calls', label: 'Calls' }}
      actions={
        call.data && !is_over && !call.data.hold ? (
          <Button color="red.9" loading={hangUp.busy} onClick={() => hangUp.run(undefined)}>
            Hang up
          </Button>
        ) : null
      }
    >
      <Read query={call}>
        {(found) => (
          <div className="grid side">
            <div className="stack">
              <CallHold call={found} />
              <Conversation call={found} queries={queries} />
            </div>
            <div className="stack">
              <Card title="Details">
                <CallFacts call={found} />
              </Card>
              <Card title="Timeline">
                <Read query={timeline}>{(entries) => <Timeline entries={entries} />}</Read>
              </Card>
              <Card title="Record">
                <details>
                  <summary>Show the full record</summary>
                  <JsonView value={found} label="the record" />
                </details>
              </Card>
            </div>
          </div>
        )}
      </Read>
    </Page>
  );
}

function Conversation({ call, queries }: { call: Call; queries: CallQueries }) {
  const player = useRef<Player | null>(null);
  const { is_over, transcript } = queries;
  return (
    <div className="stack">
      <Card title={is_over ? 'Transcript' : 'Live transcript'}>
        <Read query={transcript}>
          {({ turns, is_final }) => (
            <Transcript
              turns={turns}
              is_final={is_final}
              onSeek={call.recording_url ? (ms) => player.current?.seek(ms) : undefined}
            />
          )}
        </Read>
      </Card>
      {call.recording_url && (
        <Card title="Recording">
          <Suspense fallback={<p className="muted">Loading …</p>}>
            <Recording call_id={call.id} player={player} />
          </Suspense>
        </Card>
      )}
      {transcript.data && <CallLatency turns={transcript.data.turns} />}
    </div>
  );
}
