// Finds the newest documents that match: first among the newest ones, then by the index, one period after the other.
import type { IndexQuery } from './index-query.ts';
import type { Hit, SearchStore } from './store.ts';

export type Found = {
  hits: Hit[];
  /** The id below which the search continues; null when everything was searched. */
  next: string | null;
  is_partial: boolean;
};

type Options = {
  limit: number;
  /** Only documents below this id, which the previous page ended with. */
  below: string | null;
  time_ms: number;
};

/** The id that is nearer to now bounds a page. */
const lower = (a: string | null, b: string | null): string | null => {
  if (a === null || b === null) return a ?? b;
  return a < b ? a : b;
};

export async function findDocuments(
  store: SearchStore,
  query: IndexQuery,
  { limit, below, time_ms }: Options,
): Promise<Found> {
  const ends_ms = performance.now() + time_ms;
  const start = lower(below, query.below_id);
  const newest = await store.amongNewest(query, start, limit + 1);
  const hits = newest.hits;
  let searched_until = newest.compared_until;
  while (hits.length <= limit && searched_until !== null) {
    const from = await nextBound(store, query, searched_until, start);
    const timeout_ms = ends_ms - performance.now();
    const page_of_hits: Hit[] | null =
      timeout_ms <= 0
        ? null
        : await store.byIndex(query, { from, below: searched_until, timeout_ms }, limit + 1 - hits.length);
    if (page_of_hits === null) return { hits, next: searched_until, is_partial: true };
    hits.push(...page_of_hits);
    searched_until = from;
    if (from === null || (query.from_id !== null && from <= query.from_id)) break;
  }
  const has_more = hits.length > limit;
  const page = hits.slice(0, limit);
  return { hits: page, next: has_more ? page.at(-1)!.id : null, is_partial: false };
}

/**
 * The end of the next step: twice as many partitions as the steps before it, so that a rare word needs few steps and a
 * frequent one reads few partitions.
 */
async function nextBound(
  store: SearchStore,
  query: IndexQuery,
  searched_until: string,
  start: string | null,
): Promise<string | null> {
  const starts = await store.partitionStarts();
  const passed = starts.filter((each) => each >= searched_until && (start === null || each < start)).length;
  const ahead = starts.filter((each) => each < searched_until);
  const bound = ahead[passed] ?? null;
  return query.from_id !== null && (bound === null || bound < query.from_id) ? query.from_id : bound;
}
