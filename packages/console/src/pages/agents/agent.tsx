// One agent: what it says, may do and knows, and a button to talk to it.
import { Tabs } from '@mantine/core';
import type { Agent } from '@parley/sdk';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import type { FunctionComponent } from 'react';
import { CopyText } from '../../parts/copy.tsx';
import { ConfirmButton, DialogButton } from '../../parts/dialog.tsx';
import { Page, Read } from '../../parts/page.tsx';
import { Time } from '../../parts/time.tsx';
import { parley } from '../../session/client.ts';
import { useAction } from '../../state/use-action.tsx';
import { useFilters } from '../../state/use-filters.ts';
import { CallMeForm } from './agent-call.tsx';
import { ConversationForm } from './agent-conversation.tsx';
import { Destinations } from './agent-destinations.tsx';
import { EnginesForm } from './agent-engines.tsx';
import { LimitsForm } from './agent-limits.tsx';
import { RelayForm } from './agent-relay.tsx';
import { MessagingForm } from './agent-replies.tsx';
import { ResultsForm } from './agent-results.tsx';
import { ToolsForm } from './agent-tools.tsx';

const parts: [name: string, title: string, content: FunctionComponent<{ agent: Agent }>][] = [
  ['conversation', 'Conversation', ConversationForm],
  ['tools', 'Tools', ToolsForm],
  ['destinations', 'Destinations', Destinations],
  ['result', 'Result', ResultsForm],
  ['replies', 'Texts and emails', MessagingForm],
  ['limits', 'Limits', LimitsForm],
  ['engines', 'Engines', EnginesForm],
  ['relay', 'Relay', RelayForm],
];

function Actions({ agent }: { agent: Agent }) {
  const navigate = useNavigate();
  const remove = useAction(() => parley.agents.delete(agent.id), {
    changes: ['agents', 'numbers'],
    message: `${agent.name} was deleted.`,
    done: () => void navigate({ to: '/agents' }),
    toast_error: true,
  });
  return (
    <>
      <DialogButton label="Call me with this agent">{() => <CallMeForm agent={agent} />}</DialogButton>
      <ConfirmButton
        label="Delete"
        question={`Delete ${agent.name}? Calls and texts to its numbers will not be answered.`}
        busy={remove.busy}
        onConfirm={() => remove.run(undefined)}
      />
    </>
  );
}

const About = ({ agent }: { agent: Agent }) => (
  <span className="row small">
    <span>
      Version {agent.version}, changed <Time at={agent.updated_at} />
    </span>
    {agent.paused_until && (
      <span>
        Paused until <Time at={agent.paused_until} />: {agent.paused_reason}
      </span>
    )}
    <CopyText text={agent.id} label="the id of the agent" />
  </span>
);

/** All parts stay mounted, so that what was typed is kept while the user looks at another part. */
function Parts({ agent }: { agent: Agent }) {
  const { part = 'conversation' } = useFilters();
  const navigate = useNavigate();
  return (
    <Tabs
      value={part}
      onChange={(value) =>
        void navigate({ to: `/agents/${agent.id}`, search: { part: value } as never, replace: true })
      }
    >
      <Tabs.List aria-label="Section" mb="md">
        {parts.map(([name, title]) => (
          <Tabs.Tab key={name} value={name}>
            {title}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {parts.map(([name, , Content]) => (
        <Tabs.Panel key={name} value={name}>
          <section className="card" style={{ maxWidth: '52rem' }}>
            <Content agent={agent} />
          </section>
        </Tabs.Panel>
      ))}
    </Tabs>
  );
}

export function AgentPage() {
  const { id = '' } = useParams({ strict: false }) as { id?: string };
  const agent = useQuery({ queryKey: ['agents', id], queryFn: () => parley.agents.get(id) });
  return (
    <Page
      title={agent.data?.name ?? 'Agent'}
      about={agent.data && <About agent={agent.data} />}
      back={{ to: '/agents', label: 'Agents' }}
      actions={agent.data && <Actions agent={agent.data} />}
    >
      <Read query={agent}>{(found) => <Parts key={found.id} agent={found} />}</Read>
    </Page>
  );
}
