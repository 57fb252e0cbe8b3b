// How the inbox reacts: which row the keys act on, what leaves the screen, and where the focus goes.
import type { Conversation } from '@parley/sdk';
import { useCallback, useEffect, useRef, useState } from 'react';
import { type Pane, useConversation, useConversations, useInboxPlace, useViews } from '../../state/inbox.ts';
import { useKeys } from '../../state/use-keys.ts';
import { useConversationActions } from './inbox-actions.tsx';

/** The current row. Its place is kept as well: when a conversation leaves the list, the next one takes its place. */
function useCurrentRow(items: readonly Conversation[], first_id: string | undefined) {
  const [chosen, choose] = useState({ id: first_id, place: 0 });
  const [focus_request, setFocusRequest] = useState(0);
  const position = items.findIndex(({ id }) => id === chosen.id);
  const current = position >= 0 ? position : Math.max(0, Math.min(chosen.place, items.length - 1));
  return {
    current,
    focus_request,
    setCurrent: (place: number) => choose({ id: items[place]?.id, place }),
    requestFocus: () => setFocusRequest((count) => count + 1),
  };
}

const focusedRow = () =>
  document.activeElement?.closest<HTMLElement>('[data-conversation]')?.dataset.conversation;

/** What opens gets the focus, so that the keyboard goes on there: the messages, which the keys then scroll, or the person. */
function useFocusOnOpen(pane: Pane, id: string | undefined, is_reply: boolean) {
  const page = useRef<HTMLDivElement>(null);
  const open_pane = id === undefined || pane === 'list' ? null : `${pane} ${id}`;
  const before = useRef<string | null>(null);
  useEffect(() => {
    const part = pane === 'person' ? '.person-pane' : '.messages';
    if (open_pane !== null && open_pane !== before.current && !is_reply)
      page.current?.querySelector<HTMLElement>(part)?.focus();
    before.current = open_pane;
  }, [pane, open_pane, is_reply]);
  return page;
}

export type InboxDialog = 'keys' | 'new' | { snooze: Conversation } | null;

export function useInbox() {
  const place = useInboxPlace();
  const views = useViews();
  const view = views.find(({ name }) => name === place.view) ?? views[0]!;
  const list = useConversations(view);
  const row = useCurrentRow(list.items, place.id);
  const open = useConversation(place.id);
  const real_id = open.data?.id;
  const { go, id } = place;
  // biome-ignore lint/correctness/useExhaustiveDependencies: go changes at each rendering
  useEffect(() => {
    // The URL may name a thread or a merged conversation.
    if (id !== undefined && real_id !== undefined && real_id !== id) go({ id: real_id, replace: true });
  }, [id, real_id]);
  const list_pane = useRef<HTMLElement>(null);
  const [dialog, setDialog] = useState<InboxDialog>(null);
  const [reply_to, setReplyTo] = useState<string | null>(null);
  const page = useFocusOnOpen(place.pane, real_id, reply_to !== null);
  const actions = useConversationActions();

  const backToList = () => {
    place.go({});
    row.requestFocus();
  };
  /** An open conversation leaves the screen: otherwise it would at once be read again, or stay although it is done. */
  const leaving =
    <Rest extends unknown[]>(act: (conversation: Conversation, ...rest: Rest) => void) =>
    (conversation: Conversation, ...rest: Rest) => {
      act(conversation, ...rest);
      if (conversation.id === open.data?.id) backToList();
    };
  return {
    place,
    view,
    list,
    row,
    open,
    list_pane,
    page,
    dialog,
    setDialog,
    reply_to,
    onReplyFocused: useCallback(() => setReplyTo(null), []),
    backToList,
    toggleDone: leaving(actions.toggleDone),
    markUnread: leaving(actions.markUnread),
    snooze: leaving(actions.snooze),
    reply(conversation: Conversation) {
      if (conversation.id !== open.data?.id) place.go({ id: conversation.id });
      setReplyTo(conversation.id);
    },
    move(step: number) {
      const is_list_shown = list_pane.current?.offsetParent !== null;
      // The first key only goes to the list.
      const steps = is_list_shown && !focusedRow() && !place.id ? 0 : step;
      const next = list.items[row.current + steps];
      if (!next) return;
      row.setCurrent(row.current + steps);
      if (is_list_shown) row.requestFocus();
      else place.go({ id: next.id });
    },
  };
}
export type Inbox = ReturnType<typeof useInbox>;

export function useInboxKeys(inbox: Inbox): void {
  const { place, list, row, open, setDialog } = inbox;
  /** The conversation that a key acts on: the focused row, else the open one, else the current row. */
  const onTarget = (act: (conversation: Conversation) => void) => () => {
    const focused = focusedRow();
    const target = list.items.find(({ id }) => id === focused) ?? open.data ?? list.items[row.current];
    if (target) act(target);
  };
  useKeys({
    j: () => inbox.move(1),
    k: () => inbox.move(-1),
    e: onTarget(inbox.toggleDone),
    u: onTarget(inbox.markUnread),
    s: onTarget((conversation) => setDialog({ snooze: conversation })),
    r: onTarget(inbox.reply),
    p: onTarget(({ id }) => place.go({ id, pane: 'person' })),
    n: () => setDialog('new'),
    '?': () => setDialog('keys'),
    Escape: () => {
      if (place.pane === 'person') place.go({ id: place.id });
      else if (place.id) inbox.backToList();
    },
  });
}
