// The inbox: conversations, the open one, and its person. A narrow screen shows one of the three at a time.
import { ActionIcon, Button } from '@mantine/core';
import { IconKeyboard } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { useEffect } from 'react';
import { Empty } from '../../parts/page.tsx';
import { useViews } from '../../state/inbox.ts';
import { SnoozeDialog } from './inbox-actions.tsx';
import { ConversationPane } from './inbox-conversation.tsx';
import { KeysDialog } from './inbox-help.tsx';
import { InboxList } from './inbox-list.tsx';
import { PersonPane } from './inbox-person.tsx';
import { type Inbox, useInbox, useInboxKeys } from './inbox-state.ts';
import { Composer } from './write/inbox-compose.tsx';
import { NewMessage } from './write/inbox-new-message.tsx';
import './inbox.css';

function Views({ chosen }: { chosen: string }) {
  return (
    <nav className="views" aria-label="Views">
      {useViews().map(({ name, label }) => (
        <Link
          key={name}
          to="/inbox"
          search={{ view: name === 'open' ? undefined : name } as never}
          activeOptions={{ exact: true, explicitUndefined: true }}
          aria-current={chosen === name ? 'page' : undefined}
        >
          {label}
        </Link>
      ))}
    </nav>
  );
}

function ListPane({ inbox }: { inbox: Inbox }) {
  const { list, row, place, view } = inbox;
  return (
    <section className="pane list-pane" aria-label="List" ref={inbox.list_pane}>
      <header className="pane-head">
        <strong className="pane-title" aria-hidden>
          Inbox
        </strong>
        <span className="actions">
          <Button
            size="compact-sm"
            variant="default"
            aria-keyshortcuts="n"
            onClick={() => inbox.setDialog('new')}
          >
            New message
          </Button>
          <ActionIcon
            variant="subtle"
            color="gray"
            aria-label="Show the keys"
            aria-keyshortcuts="?"
            onClick={() => inbox.setDialog('keys')}
          >
            <IconKeyboard size={19} />
          </ActionIcon>
        </span>
      </header>
      <Views chosen={view.name} />
      <InboxList
        key={view.name}
        query={list}
        place={place}
        current={row.current}
        onCurrent={row.setCurrent}
        onMove={inbox.move}
        focus_request={row.focus_request}
        empty={view.empty}
      />
    </section>
  );
}

const nothing_open = (
  <Empty title="No conversation is open">
    <kbd>j</kbd> and <kbd>k</kbd> choose one, <kbd>Enter</kbd> opens it, <kbd>?</kbd> shows all keys.
  </Empty>
);

function Dialogs({ inbox }: { inbox: Inbox }) {
  const { dialog, setDialog } = inbox;
  const close = () => setDialog(null);
  if (dialog === 'keys') return <KeysDialog close={close} />;
  if (dialog === 'new')
    return <NewMessage close={close} onSent={(thread_id) => inbox.place.go({ id: thread_id })} />;
  if (dialog === null) return null;
  return (
    <SnoozeDialog
      conversation={dialog.snooze}
      onChoose={(until) => inbox.snooze(dialog.snooze, until)}
      close={close}
    />
  );
}

export function InboxPage() {
  const inbox = useInbox();
  const { place, open } = inbox;
  useInboxKeys(inbox);
  const title = place.id && open.data ? `${open.data.title} · Inbox` : 'Inbox';
  useEffect(() => {
    document.title = `${title} · Parley`;
  }, [title]);
  return (
    <div className="inbox" data-pane={place.pane} ref={inbox.page}>
      <h1 className="visually-hidden">Inbox</h1>
      <ListPane inbox={inbox} />
      <section className="pane conversation-pane" aria-label="Conversation">
        {place.id ? (
          <ConversationPane
            query={open}
            onBack={inbox.backToList}
            onPerson={() => place.go({ id: place.id, pane: 'person' })}
            onDone={inbox.toggleDone}
            onSnooze={(conversation) => inbox.setDialog({ snooze: conversation })}
            onUnread={inbox.markUnread}
          >
            {open.data && (
              <Composer
                key={open.data.id}
                conversation={open.data}
                wants_focus={inbox.reply_to === open.data.id}
                onFocused={inbox.onReplyFocused}
              />
            )}
          </ConversationPane>
        ) : (
          nothing_open
        )}
      </section>
      {place.id && open.data && (
        <section className="pane person-pane" aria-label="Person" tabIndex={-1}>
          <PersonPane
            key={open.data.id}
            conversation={open.data}
            onBack={() => place.go({ id: place.id })}
            onOpen={(id) => place.go({ id })}
          />
        </section>
      )}
      <Dialogs inbox={inbox} />
    </div>
  );
}
