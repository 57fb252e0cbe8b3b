// The list of conversations. One row is in the tab order; j and k, or the arrow keys, move to the others.
import type { Conversation } from '@parley/sdk';
import { Link } from '@tanstack/react-router';
import { defaultRangeExtractor, type Range, useVirtualizer } from '@tanstack/react-virtual';
import { type KeyboardEvent, useCallback, useEffect, useLayoutEffect, useRef } from 'react';
import { PlainBadge } from '../../parts/badge.tsx';
import { Empty } from '../../parts/page.tsx';
import { Problem } from '../../parts/problem.tsx';
import { RowButton } from '../../parts/row-button.tsx';
import { Time } from '../../parts/time.tsx';
import { countPeople, type useInboxPlace } from '../../state/inbox.ts';
import type { ListQuery } from '../../state/use-list.ts';
import { ChannelIcon } from './write/inbox-channel.tsx';

const row_px = 84;

/** Why the conversation needs attention; the newest state first. */
const StateBadges = ({ of: { status, snoozed_until, waiting_since, labels } }: { of: Conversation }) => (
  <span className="row-badges">
    {status === 'snoozed' && (
      <span className="small muted">
        Opens <Time at={snoozed_until} />
      </span>
    )}
    {status === 'closed' && <span className="small muted">Done</span>}
    {waiting_since && status === 'open' && (
      <span className="small waiting">
        Waits since <Time at={waiting_since} />
      </span>
    )}
    {labels.slice(0, 3).map((label) => (
      <PlainBadge key={label}>{label}</PlainBadge>
    ))}
  </span>
);

const Row = ({ conversation }: { conversation: Conversation }) => {
  const { title, unread_count, last_item, kind } = conversation;
  return (
    <>
      <span className="row-top">
        <strong className="clip">
          {title}
          {kind === 'group' && <span className="muted"> · {countPeople(conversation)} people</span>}
        </strong>
        {unread_count > 0 && (
          <span className="unread">
            {unread_count}
            <span className="visually-hidden"> unread</span>
          </span>
        )}
        <span className="small muted">{last_item && <Time at={last_item.at} />}</span>
      </span>
      <span className="clip preview">
        {last_item && <ChannelIcon of={last_item.noun} />}
        {last_item?.direction === 'outbound' && 'You: '}
        {last_item?.preview || (last_item?.noun === 'call' ? 'Call' : 'No text')}
      </span>
      <StateBadges of={conversation} />
    </>
  );
};

type Props = {
  query: ListQuery<Conversation>;
  place: ReturnType<typeof useInboxPlace>;
  /** The row that the keys act on. */
  current: number;
  onCurrent(index: number): void;
  onMove(step: number): void;
  /** Changes when the current row should get the focus. */
  focus_request: number;
  empty: string;
};

/** The list, and whether a row has or had the focus until it was removed. */
function useListFocus() {
  const element = useRef<HTMLDivElement>(null);
  const has_focus = useRef(false);
  // Not the events of React: a closing dialog restores the focus while React applies changes, and then it reports none.
  const follow = useCallback((list: HTMLDivElement) => {
    element.current = list;
    const onFocus = () => {
      has_focus.current = true;
    };
    // A removed row loses the focus to nothing.
    const onBlur = ({ relatedTarget }: FocusEvent) => {
      if (relatedTarget) has_focus.current = false;
    };
    list.addEventListener('focusin', onFocus);
    list.addEventListener('focusout', onBlur);
    return () => {
      list.removeEventListener('focusin', onFocus);
      list.removeEventListener('focusout', onBlur);
      element.current = null;
    };
  }, []);
  return { element, follow, has_focus };
}

/** Focuses the current row on request, and when the focused row left the list. */
function useRowFocus(
  { element, has_focus }: ReturnType<typeof useListFocus>,
  { current, focus_request }: Pick<Props, 'current' | 'focus_request'>,
  /** A list that is not on the screen has no rows. */
  is_rendered: boolean,
  ids: string,
): void {
  const handled_request = useRef(focus_request);
  const focusCurrent = () =>
    element.current?.querySelector<HTMLElement>(`[data-index="${current}"] a`)?.focus();
  // biome-ignore lint/correctness/useExhaustiveDependencies: only a request moves the focus, once the row is rendered
  useLayoutEffect(() => {
    if (focus_request === handled_request.current || !is_rendered) return;
    focusCurrent();
    if (element.current?.contains(document.activeElement)) handled_request.current = focus_request;
  }, [focus_request, is_rendered]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: only a changed list loses the focus
  useLayoutEffect(() => {
    if (has_focus.current && document.activeElement === document.body) focusCurrent();
  }, [ids]);
}

const arrow_steps: Record<string, number> = { ArrowDown: 1, ArrowUp: -1 };

export function InboxList({ query, place, current, onCurrent, onMove, focus_request, empty }: Props) {
  const { items, hasNextPage, isFetchingNextPage, fetchNextPage } = query;
  const focus = useListFocus();
  const rows = useVirtualizer({
    count: items.length,
    getScrollElement: () => focus.element.current,
    estimateSize: () => row_px,
    overscan: 6,
    // The current row stays rendered, because it may have the focus.
    rangeExtractor: (range: Range) =>
      [...new Set([...defaultRangeExtractor(range), Math.min(current, items.length - 1)])].sort(
        (a, b) => a - b,
      ),
  });
  const visible = rows.getVirtualItems();
  const last = visible.at(-1)?.index ?? 0;
  const is_rendered = visible.some(({ index }) => index === current);
  useRowFocus(focus, { current, focus_request }, is_rendered, items.map(({ id }) => id).join());
  useEffect(() => {
    if (hasNextPage && !isFetchingNextPage && last >= items.length - 20) void fetchNextPage();
  }, [hasNextPage, isFetchingNextPage, fetchNextPage, last, items.length]);

  const onKeyDown = (event: KeyboardEvent) => {
    const step = arrow_steps[event.key];
    if (step === undefined) return;
    event.preventDefault();
    onMove(step);
  };
  if (query.error && items.length === 0) return <Problem error={query.error} />;
  if (!query.isPending && items.length === 0) return <Empty title={empty} />;
  return (
    <>
      {query.has_updates && (
        <div className="list-news">
          <RowButton onClick={() => void query.showUpdates()}>New messages: show them</RowButton>
        </div>
      )}
      {/* biome-ignore lint/a11y/noStaticElementInteractions: only follows the focus of its rows */}
      <div className="list-scroll" ref={focus.follow} onKeyDown={onKeyDown}>
        <ul aria-label="Conversations" style={{ height: rows.getTotalSize() }}>
          {visible.map(({ index, start }) => {
            const conversation = items[index]!;
            return (
              <li key={conversation.id} data-index={index} style={{ transform: `translateY(${start}px)` }}>
                <Link
                  to="/inbox"
                  search={place.search({ id: conversation.id }) as never}
                  tabIndex={index === current ? 0 : -1}
                  className={conversation.unread_count > 0 ? 'is-unread' : undefined}
                  aria-current={place.id === conversation.id ? 'true' : undefined}
                  data-conversation={conversation.id}
                  onFocus={() => onCurrent(index)}
                >
                  <Row conversation={conversation} />
                </Link>
              </li>
            );
          })}
        </ul>
      </div>
    </>
  );
}
