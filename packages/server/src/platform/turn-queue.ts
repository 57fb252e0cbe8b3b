// A queue in which owners take turns: whoever has a thousand items in it delays another one's item by one item only.

export type TurnQueue<Item extends { turn: string }> = {
  push(item: Item): void;
  /** The next item: each owner's items in their order, one owner after the other. */
  take(): Item | undefined;
  remove(item: Item): void;
  takeAll(): Item[];
  size(): number;
  /** The earliest time among the first items of the owners; null for an empty queue. */
  oldest(timeOf: (item: Item) => number): number | null;
};

export function turnQueue<Item extends { turn: string }>(): TurnQueue<Item> {
  /** In the order of the turns. No list is empty. */
  const lists = new Map<string, Set<Item>>();
  let size = 0;

  const remove = (item: Item) => {
    const list = lists.get(item.turn);
    if (!list?.delete(item)) return;
    size--;
    if (list.size === 0) lists.delete(item.turn);
  };
  return {
    push(item) {
      const list = lists.get(item.turn);
      if (list) list.add(item);
      else lists.set(item.turn, new Set([item]));
      size++;
    },
    take() {
      for (const [turn, list] of lists) {
        for (const item of list) {
          remove(item);
          // Behind the other owners.
          if (lists.delete(turn)) lists.set(turn, list);
          return item;
        }
      }
      return undefined;
    },
    remove,
    takeAll() {
      const items = [...lists.values()].flatMap((list) => [...list]);
      lists.clear();
      size = 0;
      return items;
    },
    size: () => size,
    oldest(timeOf) {
      let oldest: number | null = null;
      for (const list of lists.values()) {
        for (const item of list) {
          const time = timeOf(item);
          if (oldest === null || time < oldest) oldest = time;
          break;
        }
      }
      return oldest;
    },
  };
}
