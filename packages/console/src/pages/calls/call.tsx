// One call: its status and result, the live transcript, control of the agent, the response times and the recording.
import { Button } from '@mantine/core';
import type { Call } from '@parley/sdk';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { lazy, type ReactNode, Suspense, useRef } from 'react';
import { humanize, StatusBadge } from '../../parts/badge.tsx';
import { ConsentLinks } from '../../parts/consent-links.tsx';
import { CopyText, JsonView } from '../../parts/copy.tsx';
import { ExplainCard } from '../../parts/explain.tsx';
import { HoldNotice } from '../../parts/hold.tsx';
import { PageLink } from '../../parts/link.tsx';
import { Card, Facts, Page, Read } from '../../parts/page.tsx';
import { duration, Time } from '../../parts/time.tsx';
import { parley } from '../../session/client.ts';
import { useAgents } from '../../state/reads.ts';
import { end_reason_text, final_calls } from '../../state/status-text.ts';
import { useAction } from '../../state/use-action.tsx';
import { CallControl } from './call-control.tsx';
import { CallLatency } from './call-latency.tsx';
import type { Player } from './call-recording.tsx';
import { CallResult } from './call-result.tsx';
import { CallTimeline } from './call-timeline.tsx';
import { Transcript } from './call-transcript.tsx';
import { CallTransfer } from './call-transfer.tsx';

const Recording = lazy(() =>
  import('./call-recording.tsx').then(({ Recording }) => ({ default: Recording })),
);

const otherOf = ({ direction, to, from }: Call) =>
  [direction === 'outbound' ? to : from].filter((number) => number !== null);

function AgentLink({ agent_id, agent_version }: Pick<Call, 'agent_id' | 'agent_version'>) {
  const agents = useAgents();
  if (agent_id === null) return null;
  const name = agents.data?.find(({ id }) => id === agent_id)?.name ?? agent_id;
  return (
    <span>
      <PageLink to={`/agents/${agent_id}`}>{name}</PageLink>
      {agent_version !== null && <span className="muted"> version {agent_version}</span>}
    </span>
  );
}

const ParentLink = ({ id }: { id: string }) => (
  <PageLink to={`/calls/${id}`}>The call of the person</PageLink>
);

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
      ['Agent', call.agent_id && <AgentLink key="agent" {...call} />],
      ...(call.parent_call_id
        ? ([['Transfer of', <ParentLink key="parent" id={call.parent_call_id} />]] as [string, ReactNode][])
        : []),
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

const isSettled = ({ status, result_status }: Call) => final_calls.has(status) && result_status !== 'pending';

/** Ringing publishes no event, so a call in progress is polled. */
function useCall(id: string) {
  const call = useQuery({
    queryKey: ['calls', id],
    queryFn: () => parley.calls.get(id),
    refetchInterval: ({ state }) => (state.data && isSettled(state.data) ? false : 1000),
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
  const tool_calls = useQuery({
    queryKey: ['calls', id, 'tool-calls'],
    queryFn: async () => (await parley.toolCalls.list({ call_id: id, limit: 200 })).items,
    refetchInterval: is_over ? false : 1500,
  });
  return { call, is_over, transcript, timeline, tool_calls };
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
  const { call, is_over, timeline, tool_calls } = queries;
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
              <CallResult call={found} />
              {found.status === 'in_progress' && <CallControl call={found} />}
              <Conversation call={found} queries={queries} />
            </div>
            <div className="stack">
              <CallTransfer call={found} />
              <Card title="Details">
                <CallFacts call={found} />
              </Card>
              <ExplainCard id={found.id} />
              <Card title="Timeline">
                <Read query={timeline}>
                  {(entries) => <CallTimeline entries={entries} tool_calls={tool_calls.data ?? []} />}
                </Read>
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
