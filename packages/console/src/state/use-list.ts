// Loads a list page by page while the user scrolls.
import type { List } from '@parley/sdk';
import { hashKey, type InfiniteData, useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { useMemo, useSyncExternalStore } from 'react';
import { clearUpdates, hasUpdates, isLong, onUpdates } from './event-updates.ts';

type Page<Item> = { items: Item[]; next_cursor: string | null };
export type ListQuery<Item> = ReturnType<typeof useList<Item>>;

const default_page_size = 200;

/** `name` starts with the noun of the events that affect the list; the rest are the filters. */
export function useList<Item>(
  name: readonly unknown[],
  read: (query: { cursor?: string; limit: number }) => List<Item>,
  options: { enabled?: boolean; refetch_ms?: number; page_size?: number } = {},
) {
  const queries = useQueryClient();
  const queryKey = [...name, 'list'];
  const hash = hashKey(queryKey);
  const query = useInfiniteQuery<
    Page<Item>,
    Error,
    InfiniteData<Page<Item>>,
    readonly unknown[],
    string | undefined
  >({
    queryKey,
    queryFn: async ({ pageParam }) =>
      await read({
        limit: options.page_size ?? default_page_size,
        ...(pageParam === undefined ? {} : { cursor: pageParam }),
      }),
    initialPageParam: undefined,
    getNextPageParam: (last) => last.next_cursor ?? undefined,
    enabled: options.enabled ?? true,
    refetchInterval: (query) => (isLong(query) ? false : (options.refetch_ms ?? false)),
    refetchOnWindowFocus: (query) => !isLong(query),
  });
  const items = useMemo(() => query.data?.pages.flatMap((page) => page.items) ?? [], [query.data]);
  const has_updates = useSyncExternalStore(onUpdates, () => hasUpdates(hash));
  return {
    ...query,
    items,
    has_updates,
    /** Reload from the first page. */
    async showUpdates() {
      await queries.resetQueries({ queryKey, exact: true });
      clearUpdates(hash);
    },
  };
}
