// One call: its state, what is said as it is said, how long the agent took, and what it sounded like.
import { Button } from '@mantine/core';
import type { Call } from '@parley/sdk';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { lazy, Suspense, useRef } from 'react';
import { inWords, StatusBadge } from '../parts/badge.tsx';
import { CopyText, JsonView } from '../parts/copy.tsx';
import { Card, Facts, Page, Read } from '../parts/page.tsx';
import { duration, Time } from '../parts/time.tsx';
import { Timeline } from '../parts/timeline.tsx';
import { parley } from '../session/client.ts';
import { useAction } from '../state/use-action.tsx';
import { end_reason_words, final_calls } from '../state/words.ts';
import { CallLatency } from './call-latency.tsx';
import type { Player } from './call-recording.tsx';
import { Transcript } from './call-transcript.tsx';

const Recording = lazy(() =>
  import('./call-recording.tsx').then(({ Recording }) => ({ default: Recording })),
);

const CallFacts = ({ call }: { call: Call }) => (
  <Facts
    of={[
      ['Status', <StatusBadge key="status" status={call.status} />],
      ['Ended', call.end_reason && (end_reason_words[call.end_reason] ?? inWords(call.end_reason))],
      ['From', call.from && <span className="mono">{call.from}</span>],
      [
        'To',
        <span key="to" className="mono">
          {call.to}
        </span>,
      ],
      ['Answered by', call.answered_by],
      ['Asked for', <Time key="asked" at={call.requested_at} />],
      ['Answered', <Time key="answered" at={call.answered_at} />],
      ['Duration', duration(call.duration_seconds)],
      ['Carrier', call.provider],
      ['Id', <CopyText key="id" text={call.id} label="the id of the call" />],
    ]}
  />
);

export function CallPage() {
  const { id = '' } = useParams({ strict: false }) as { id?: string };
  const player = useRef<Player | null>(null);
  const call = useQuery({
    queryKey: ['calls', id],
    queryFn: () => parley.calls.get(id),
    // Ringing is no event: while the call goes on, somebody must ask.
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
  const hangUp = useAction(() => parley.calls.cancel(id), {
    changes: ['calls'],
    says: 'The call is ended.',
    loud: true,
  });

  return (
    <Page
      title={
        call.data
          ? `Call ${call.data.direction === 'outbound' ? `to ${call.data.to}` : `from ${call.data.from ?? 'unknown'}`}`
          : 'Call'
      }
      back={{ to: '/calls', label: 'Calls' }}
      acts={
        call.data && !is_over ? (
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
              <Card title={is_over ? 'What was said' : 'What is being said'}>
                <Read query={transcript}>
                  {({ turns, is_final }) => (
                    <Transcript
                      turns={turns}
                      is_final={is_final}
                      onSeek={found.recording_url ? (ms) => player.current?.seek(ms) : undefined}
                    />
                  )}
                </Read>
              </Card>
              {found.recording_url && (
                <Card title="Recording">
                  <Suspense fallback={<p className="muted">Loading …</p>}>
                    <Recording call_id={id} player={player} />
                  </Suspense>
                </Card>
              )}
              {transcript.data && <CallLatency turns={transcript.data.turns} />}
            </div>
            <div className="stack">
              <Card title="Facts">
                <CallFacts call={found} />
              </Card>
              <Card title="Timeline">
                <Read query={timeline}>{(entries) => <Timeline entries={entries} />}</Read>
              </Card>
              <Card title="Record">
                <details>
                  <summary>Show the whole record</summary>
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
