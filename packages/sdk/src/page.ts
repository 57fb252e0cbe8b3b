// A list that can be awaited (one page) or iterated (every item of every page).

export type Page<Item> = { items: Item[]; next_cursor: string | null };

export type List<Item> = PromiseLike<Page<Item>> &
  AsyncIterable<Item> & {
    /** Iterates over the pages. */
    pages(): AsyncIterable<Page<Item>>;
  };

export function listOf<Item>(
  read: (cursor: string | undefined) => Promise<Page<Item>>,
  first?: string,
): List<Item> {
  let page: Promise<Page<Item>> | undefined;
  const firstPage = () => {
    page ??= read(first);
    return page;
  };
  async function* pages() {
    let current = await firstPage();
    for (;;) {
      yield current;
      if (current.next_cursor === null) return;
      current = await read(current.next_cursor);
    }
  }
  return {
    then: (resolve, reject) => firstPage().then(resolve, reject),
    pages,
    async *[Symbol.asyncIterator]() {
      for await (const { items } of pages()) yield* items;
    },
  };
}
