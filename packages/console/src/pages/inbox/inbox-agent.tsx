// The agent of a conversation: whether it answers, taking over and giving back.
import { Button } from '@mantine/core';
import type { Conversation } from '@parley/sdk';
import { Time } from '../../parts/time.tsx';
import { parley } from '../../session/client.ts';
import { useAgents } from '../../state/reads.ts';
import { useAction } from '../../state/use-action.tsx';

const changes = ['conversations'];

function State({ conversation: { id, agent_state, agent_paused_until } }: { conversation: Conversation }) {
  const takeOver = useAction(() => parley.conversations.takeover(id, {}), {
    changes,
    message: 'You answer now.',
    toast_error: true,
  });
  const release = useAction(() => parley.conversations.release(id), {
    changes,
    message: 'The agent answers the next message.',
    toast_error: true,
  });
  if (agent_state === 'agent')
    return (
      <Button
        size="compact-xs"
        variant="default"
        loading={takeOver.busy}
        onClick={() => takeOver.run(undefined)}
      >
        Take over
      </Button>
    );
  return (
    <>
      <span className="small muted">
        {agent_state === 'human' ? (
          'A person answers, and no agent.'
        ) : (
          <>
            The agent is paused until <Time at={agent_paused_until} />.
          </>
        )}
      </span>
      <Button
        size="compact-xs"
        variant="default"
        loading={release.busy}
        onClick={() => release.run(undefined)}
      >
        Give back to the agent
      </Button>
    </>
  );
}

/** Nothing for organizations without agents. */
export function ConversationAgent({ conversation }: { conversation: Conversation }) {
  const agents = useAgents().data ?? [];
  if (agents.length === 0 && conversation.agent_state === 'agent') return null;
  return (
    <section aria-label="Agent" className="conversation-agent">
      <div className="row">
        <State conversation={conversation} />
      </div>
    </section>
  );
}
