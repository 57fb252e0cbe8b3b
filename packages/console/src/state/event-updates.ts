// A list that is scrolled far down is not reloaded automatically: it shows a hint that there are new events.
import type { Query, QueryClient } from '@tanstack/react-query';

/** A list with at most this number of pages is reloaded automatically; a longer one only on request. */
const short_pages = 3;

const outdated = new Set<string>();
const listeners = new Set<() => void>();
const notify = () => {
  for (const listener of listeners) listener();
};

export const isLong = (query: Pick<Query, 'state'>): boolean => {
  const data = query.state.data as { pages?: unknown[] } | undefined;
  return (data?.pages?.length ?? 0) > short_pages;
};

/** The records of these query keys have changed. */
export function refresh(queries: QueryClient, name: string): void {
  void queries.invalidateQueries({ queryKey: [name], predicate: (query) => !isLong(query) });
  const long = queries.getQueryCache().findAll({ queryKey: [name], type: 'active', predicate: isLong });
  for (const { queryHash } of long) outdated.add(queryHash);
  if (long.length > 0) notify();
}

export const hasUpdates = (hash: string): boolean => outdated.has(hash);
export function clearUpdates(hash: string): void {
  outdated.delete(hash);
  notify();
}
export function onUpdates(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
