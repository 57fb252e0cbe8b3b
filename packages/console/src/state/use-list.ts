// Reads a list page by page, as far as somebody scrolls.
import type { List } from '@parley/sdk';
import { hashKey, type InfiniteData, useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { useMemo, useSyncExternalStore } from 'react';
import { forgetNews, hasNews, isLong, onNews } from './event-updates.ts';

type Page<Item> = { items: Item[]; next_cursor: string | null };
export type ListQuery<Item> = ReturnType<typeof useList<Item>>;

const page_size = 200;

/** `name` begins with what the stream of events calls the thing; the rest are the filters. */
export function useList<Item>(
  name: readonly unknown[],
  read: (query: { cursor?: string; limit: number }) => List<Item>,
  options: { enabled?: boolean; refetch_ms?: number } = {},
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
      await read({ limit: page_size, ...(pageParam === undefined ? {} : { cursor: pageParam }) }),
    initialPageParam: undefined,
    getNextPageParam: (last) => last.next_cursor ?? undefined,
    enabled: options.enabled ?? true,
    refetchInterval: (query) => (isLong(query) ? false : (options.refetch_ms ?? false)),
    refetchOnWindowFocus: (query) => !isLong(query),
  });
  const items = useMemo(() => query.data?.pages.flatMap((page) => page.items) ?? [], [query.data]);
  const has_news = useSyncExternalStore(onNews, () => hasNews(hash));
  return {
    ...query,
    items,
    has_news,
    /** From the top again, with what is new. */
    async showNews() {
      await queries.resetQueries({ queryKey, exact: true });
      forgetNews(hash);
    },
  };
}
