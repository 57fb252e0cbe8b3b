// Lists that somebody has scrolled far down are not read again under their hands: they are told that there is news.
import type { Query, QueryClient } from '@tanstack/react-query';

/** A list of so many pages is read again by itself; a longer one only when somebody asks. */
const short_pages = 3;

const with_news = new Set<string>();
const listeners = new Set<() => void>();
const tell = () => {
  for (const listener of listeners) listener();
};

export const isLong = (query: Pick<Query, 'state'>): boolean => {
  const data = query.state.data as { pages?: unknown[] } | undefined;
  return (data?.pages?.length ?? 0) > short_pages;
};

/** Something changed that these are about. */
export function refresh(queries: QueryClient, name: string): void {
  void queries.invalidateQueries({ queryKey: [name], predicate: (query) => !isLong(query) });
  const long = queries.getQueryCache().findAll({ queryKey: [name], type: 'active', predicate: isLong });
  for (const { queryHash } of long) with_news.add(queryHash);
  if (long.length > 0) tell();
}

export const hasNews = (hash: string): boolean => with_news.has(hash);
export function forgetNews(hash: string): void {
  with_news.delete(hash);
  tell();
}
export function onNews(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
