// The results of a search with the query language of the API. The focus stays in the field; the arrow keys choose a result.
import { useDebouncedValue } from '@mantine/hooks';
import { parseSearch } from '@parley/contract/inbox/search/search-query';
import type { Contact, SearchItem } from '@parley/sdk';
import { IconUser } from '@tabler/icons-react';
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type KeyboardEvent, type ReactNode, useEffect, useId, useRef, useState } from 'react';
import { Problem } from '../../parts/problem.tsx';
import { RowButton } from '../../parts/row-button.tsx';
import { exactTime, Time } from '../../parts/time.tsx';
import { parley } from '../../session/client.ts';
import { ChannelIcon } from '../inbox/write/inbox-channel.tsx';
import { SearchHelp } from './search-help.tsx';
import './search.css';

export /** What the field says about the list below it. */
type ListState = { list_id: string; active_id: string | undefined; error: string | null };
export type SearchResultsProps = {
  typed: string;
  onType(text: string): void;
  onState(state: ListState): void;
  /** Called for each key in the field. */
  handle_key: { current: ((event: KeyboardEvent) => void) | null };
  close(): void;
};

const typing_ms = 200;

type Result = { kind: 'contact'; contact: Contact } | { kind: 'item'; item: SearchItem };
const keyOf = (result: Result) => (result.kind === 'contact' ? result.contact.id : result.item.id);

function useSearch(typed: string) {
  const [q] = useDebouncedValue(typed.trim(), typing_ms);
  const parsed = parseSearch(q);
  const problem = 'problem' in parsed ? parsed.problem : null;
  const query = useInfiniteQuery({
    queryKey: ['search', q],
    queryFn: ({ pageParam }) => parley.search.query({ q, ...(pageParam ? { cursor: pageParam } : {}) }),
    initialPageParam: '',
    getNextPageParam: (last) => last.next_cursor ?? undefined,
    enabled: q !== '' && problem === null,
    placeholderData: keepPreviousData,
  });
  const pages = q === '' ? [] : (query.data?.pages ?? []);
  const results: Result[] = [
    ...pages.flatMap(({ contacts }) => contacts.map((contact) => ({ kind: 'contact', contact }) as const)),
    ...pages.flatMap(({ items }) => items.map((item) => ({ kind: 'item', item }) as const)),
  ];
  return { ...query, q, problem, results, last: pages.at(-1) };
}

/** The matches are offsets, so that nothing of a message is ever read as markup. */
function highlighted({ snippet, highlights }: SearchItem): ReactNode[] {
  const parts: ReactNode[] = [];
  let end = 0;
  for (const [from = 0, to = 0] of highlights) {
    parts.push(snippet.slice(end, from), <mark key={from}>{snippet.slice(from, to)}</mark>);
    end = to;
  }
  return [...parts, snippet.slice(end)];
}

const ContactResult = ({ contact }: { contact: Contact }) => (
  <>
    <span className="row-top">
      <strong className="clip">
        <IconUser size={15} stroke={1.7} aria-hidden className="channel" />
        {contact.name}
      </strong>
      <span className="small muted">Contact</span>
    </span>
    <span className="clip muted">
      {[contact.email, contact.phone_e164].filter((each) => each !== null).join(' · ')}
    </span>
  </>
);

const ItemResult = ({ item }: { item: SearchItem }) => (
  <>
    <span className="row-top">
      <strong className="clip">
        <ChannelIcon of={item.noun} />
        {item.title || item.parties.join(', ') || 'Unknown'}
      </strong>
      <span className="small muted">
        <Time at={item.at} />
      </span>
    </span>
    <span className="clip muted">
      {item.title && `${item.parties.join(', ')}: `}
      {highlighted(item)}
    </span>
  </>
);

/** A text has no page of its own: its conversation shows it. */
function targetOf(result: Result, in_conversation: boolean): { to: string; search?: { id: string } } {
  if (result.kind === 'contact') return { to: `/contacts/${result.contact.id}` };
  const { noun, id, conversation_id, thread_id } = result.item;
  if (noun === 'sms' || in_conversation)
    return { to: '/inbox', search: { id: conversation_id ?? thread_id } };
  return { to: `/${noun === 'email' ? 'emails' : 'calls'}/${id}` };
}

/** How far the search came; a partial one says so. */
function Progress({ search }: { search: ReturnType<typeof useSearch> }) {
  const { last, results, hasNextPage, isFetching, isFetchingNextPage, fetchNextPage } = search;
  if (!last) return isFetching ? <p className="muted">Searching …</p> : null;
  return (
    <div className="row spread small">
      <span className="muted" role="status">
        {results.length === 0 && !isFetching ? 'Nothing found' : `${results.length} found, newest first`}
        {last.is_partial && last.searched_until
          ? `. Not everything is searched yet: only back to ${exactTime(last.searched_until)}.`
          : '.'}
      </span>
      {hasNextPage && (
        <RowButton loading={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          {last.is_partial ? 'Search on' : 'Show older'}
        </RowButton>
      )}
    </div>
  );
}

function Results({
  id,
  results,
  active,
  onOpen,
}: {
  id: string;
  results: Result[];
  active: number;
  onOpen(result: Result, in_conversation: boolean): void;
}) {
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => {
    list.current?.children[active]?.scrollIntoView({ block: 'nearest' });
  }, [active]);
  if (results.length === 0) return null;
  return (
    <div role="listbox" id={id} aria-label="Results" className="search-results" ref={list}>
      {results.map((result, index) => (
        // biome-ignore lint/a11y/useKeyWithClickEvents: the field handles the keys
        // biome-ignore lint/a11y/useFocusableInteractive: the focus stays in the field
        <div
          key={keyOf(result)}
          id={`${id}-${index}`}
          role="option"
          aria-selected={index === active}
          onClick={(event) => onOpen(result, event.ctrlKey || event.metaKey)}
        >
          {result.kind === 'contact' ? (
            <ContactResult contact={result.contact} />
          ) : (
            <ItemResult item={result.item} />
          )}
        </div>
      ))}
    </div>
  );
}

const steps: Record<string, number> = { ArrowDown: 1, ArrowUp: -1 };

export function SearchResults({ typed, onType, onState, handle_key, close }: SearchResultsProps) {
  const [chosen, choose] = useState({ typed, index: 0 });
  const search = useSearch(typed);
  const navigate = useNavigate();
  const list_id = useId();
  const { results, problem } = search;
  // Another query begins at its first result again.
  const active = chosen.typed === typed ? Math.min(chosen.index, Math.max(0, results.length - 1)) : 0;
  const active_id = results[active] && typed.trim() !== '' ? `${list_id}-${active}` : undefined;
  const error = problem && `${problem.message} (at character ${problem.position + 1})`;
  useEffect(() => onState({ list_id, active_id, error }), [onState, list_id, active_id, error]);

  const open = (result: Result, in_conversation: boolean) => {
    close();
    void navigate(targetOf(result, in_conversation) as never);
  };
  handle_key.current = (event) => {
    const step = steps[event.key];
    if (step !== undefined)
      choose({ typed, index: Math.max(0, Math.min(results.length - 1, active + step)) });
    else if (event.key !== 'Enter') return;
    else if (results[active]) open(results[active], event.ctrlKey || event.metaKey);
    event.preventDefault();
  };
  if (typed.trim() === '') return <SearchHelp onChoose={onType} />;
  return (
    <>
      {search.error && <Problem error={search.error} />}
      <Results id={list_id} results={results} active={active} onOpen={open} />
      <Progress search={search} />
    </>
  );
}
