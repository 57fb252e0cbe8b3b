// The inbox: its views, its place in the URL, and what it reads.
import { ApiError, type Conversation } from '@parley/sdk';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useMemberList } from '../pages/organization/subject-names.ts';
import { parley } from '../session/client.ts';
import { useIdentity } from './reads.ts';
import { useFilters } from './use-filters.ts';
import { useList } from './use-list.ts';

type Query = NonNullable<Parameters<typeof parley.conversations.list>[0]>;
type View = { name: string; label: string; query: Query; empty: string };

const views: View[] = [
  { name: 'open', label: 'Open', query: { status: 'open' }, empty: 'No open conversations' },
  { name: 'unread', label: 'Unread', query: { unread: 'true' }, empty: 'Everything is read' },
  {
    name: 'waiting',
    label: 'Waiting',
    query: { waiting: 'true', status: 'open' },
    empty: 'Nobody waits for an answer',
  },
  { name: 'mine', label: 'Mine', query: { status: 'open' }, empty: 'Nothing is assigned to you' },
  { name: 'snoozed', label: 'Snoozed', query: { status: 'snoozed' }, empty: 'Nothing is snoozed' },
  { name: 'done', label: 'Done', query: { status: 'closed' }, empty: 'Nothing is done yet' },
  { name: 'all', label: 'All', query: {}, empty: 'No conversations yet' },
];

/** The id of the signed-in person as a member; null with a key that belongs to no person. */
export function useOwnMember(): string | null {
  const members = useMemberList().data;
  const { data: who } = useIdentity();
  return members?.find(({ user_id }) => user_id === who?.user_id)?.id ?? null;
}

/** Without accounts nothing can be assigned to a person. */
export const useViews = (): View[] => {
  const me = useOwnMember();
  return views.flatMap((view) => {
    if (view.name !== 'mine') return [view];
    return me ? [{ ...view, query: { ...view.query, assignee_id: me } }] : [];
  });
};

export const useConversations = ({ name, query }: View) =>
  useList(
    ['conversations', 'view', name, query],
    (page) => parley.conversations.list({ ...query, ...page }),
    { page_size: 100 },
  );

const first_tries = 6;
const try_again_ms = 400;

/** A message that was just sent is in its conversation a moment later, so that the conversation may not exist yet. */
export const useConversation = (id: string | undefined) =>
  useQuery({
    queryKey: ['conversations', id],
    queryFn: () => parley.conversations.get(id!),
    enabled: id !== undefined,
    retry: (count, error) => count < first_tries && error instanceof ApiError && error.status === 404,
    retryDelay: try_again_ms,
  });

/** The newest first. */
export const useItems = (id: string) =>
  useList(['conversations', id, 'items'], (page) => parley.conversations.items(id, page), { page_size: 50 });

/** How many people take part, without your own addresses. */
export const countPeople = ({ participants, participants_total }: Conversation) =>
  participants_total - participants.filter(({ role }) => role === 'own').length;

/** Which part of the page a narrow screen shows. */
export type Pane = 'list' | 'conversation' | 'person';
type Place = { view?: string | undefined; id?: string | undefined; pane?: 'person' | undefined };

/** The place in the inbox is in the URL, so that the back button and links work. */
export function useInboxPlace() {
  const { view = 'open', id, pane } = useFilters();
  const navigate = useNavigate();
  const visible_pane: Pane = id === undefined ? 'list' : pane === 'person' ? 'person' : 'conversation';
  return {
    view,
    id,
    pane: visible_pane,
    search: (place: Place) => ({ view: view === 'open' ? undefined : view, ...place }),
    go({ replace = false, ...place }: Place & { replace?: boolean }) {
      const next = { view: view === 'open' ? undefined : view, ...place };
      void navigate({ to: '/inbox', search: next as never, replace });
    },
  };
}
