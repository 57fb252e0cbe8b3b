// One conversation: all channels in the order of time, the newest at the bottom, where it opens.
import { ActionIcon, Button } from '@mantine/core';
import type { Conversation, ConversationItem } from '@parley/sdk';
import { IconArrowLeft, IconUser } from '@tabler/icons-react';
import { Fragment, type ReactNode, useEffect, useLayoutEffect, useRef } from 'react';
import { PlainBadge } from '../../parts/badge.tsx';
import { Read } from '../../parts/page.tsx';
import { Problem } from '../../parts/problem.tsx';
import { RowButton } from '../../parts/row-button.tsx';
import { Time } from '../../parts/time.tsx';
import { parley } from '../../session/client.ts';
import { useItems } from '../../state/inbox.ts';
import { useAction } from '../../state/use-action.tsx';
import { ConversationAgent } from './inbox-agent.tsx';
import { Item } from './inbox-item.tsx';

/** Items that arrive while the conversation is on the screen are read too. */
function useReading({ id, unread_count }: Conversation, newest: ConversationItem | undefined) {
  const read = useAction((up_to: string) => parley.conversations.markRead(id, { up_to }), {
    changes: ['conversations'],
  });
  const marked = useRef('');
  const { run } = read;
  useEffect(() => {
    if (!newest || unread_count === 0) return;
    const mark = () => {
      if (document.visibilityState !== 'visible' || marked.current === newest.id) return;
      marked.current = newest.id;
      run(newest.id);
    };
    mark();
    document.addEventListener('visibilitychange', mark);
    return () => document.removeEventListener('visibilitychange', mark);
  }, [newest, unread_count, run]);
}

const dayOf = (at: string) => new Date(at).toLocaleDateString('en-GB', { dateStyle: 'full' });

const Items = ({ items }: { items: readonly ConversationItem[] }) => (
  <ol className="talk items">
    {items.map((item, index) => {
      const day = dayOf(item.at);
      const is_new_day = index === 0 || dayOf(items[index - 1]!.at) !== day;
      return (
        <li key={item.id} className="talk">
          {is_new_day && <span className="day">{day}</span>}
          <Item item={item} />
        </li>
      );
    })}
  </ol>
);

/** A message that is longer than the screen opens at its beginning. */
function useBeginning(is_loaded: boolean) {
  const list = useRef<HTMLElement>(null);
  useLayoutEffect(() => {
    const newest = list.current?.querySelector<HTMLElement>('.items > li:last-child');
    if (is_loaded && newest && newest.offsetHeight > list.current!.clientHeight)
      newest.scrollIntoView({ block: 'start' });
  }, [is_loaded]);
  return list;
}

function Messages({ conversation }: { conversation: Conversation }) {
  const query = useItems(conversation.id);
  const list = useBeginning(!query.isPending);
  useReading(conversation, query.items[0]);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what may scroll must be reachable without a mouse
    <section className="messages" aria-label="Messages" tabIndex={0} ref={list}>
      <div className="messages-inner">
        {query.hasNextPage && (
          <div className="row" style={{ justifyContent: 'center' }}>
            <RowButton loading={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
              Show older messages
            </RowButton>
          </div>
        )}
        {query.error && <Problem error={query.error} />}
        <Items items={query.items.toReversed()} />
        {query.has_updates && (
          <RowButton onClick={() => void query.showUpdates()}>New messages: show them</RowButton>
        )}
      </div>
    </section>
  );
}

export type ConversationHandlers = {
  onBack(): void;
  onPerson(): void;
  onDone(conversation: Conversation): void;
  onSnooze(conversation: Conversation): void;
  onUnread(conversation: Conversation): void;
};

function Head({ conversation, ...on }: { conversation: Conversation } & ConversationHandlers) {
  const { title, status, snoozed_until } = conversation;
  return (
    <header className="pane-head">
      <ActionIcon
        className="narrow-only"
        variant="default"
        size="lg"
        aria-label="Back to the list"
        onClick={on.onBack}
      >
        <IconArrowLeft size={18} />
      </ActionIcon>
      <h2 className="clip" title={title}>
        {title}
      </h2>
      {status === 'closed' && <PlainBadge tone="good">Done</PlainBadge>}
      {status === 'snoozed' && (
        <span className="small muted">
          Snoozed, opens <Time at={snoozed_until} />
        </span>
      )}
      <span className="actions">
        <Button
          size="compact-sm"
          variant="default"
          onClick={() => on.onUnread(conversation)}
          aria-keyshortcuts="u"
        >
          Unread
        </Button>
        <Button
          size="compact-sm"
          variant="default"
          onClick={() => on.onSnooze(conversation)}
          aria-keyshortcuts="s"
        >
          Snooze
        </Button>
        <Button size="compact-sm" onClick={() => on.onDone(conversation)} aria-keyshortcuts="e">
          {status === 'closed' ? 'Open again' : 'Done'}
        </Button>
        <ActionIcon
          className="person-toggle"
          variant="default"
          aria-label="Show the person"
          onClick={on.onPerson}
        >
          <IconUser size={17} />
        </ActionIcon>
      </span>
    </header>
  );
}

export function ConversationPane({
  query,
  children,
  ...handlers
}: {
  query: { data: Conversation | undefined; error: unknown; isPending: boolean };
  /** The form for an answer. */
  children?: ReactNode;
} & ConversationHandlers) {
  return (
    <Read query={query}>
      {(conversation) => (
        <Fragment key={conversation.id}>
          <Head conversation={conversation} {...handlers} />
          <Messages conversation={conversation} />
          <ConversationAgent conversation={conversation} />
          {children}
        </Fragment>
      )}
    </Read>
  );
}
