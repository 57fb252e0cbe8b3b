// A virtual table of records: only visible rows are rendered, and the next page is loaded near the end. Absolutely
// positioned rows cannot be table elements, so ARIA roles describe them. On a narrow screen each row is a card.
import { Button } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { useVirtualizer } from '@tanstack/react-virtual';
import { type ReactNode, useEffect, useRef } from 'react';
import type { ListQuery } from '../state/use-list.ts';
import { Problem } from './problem.tsx';

export type Column<Item> = {
  title: string;
  /** As in grid-template-columns. */
  width: string;
  cell(item: Item): ReactNode;
  /** Comes after the other columns in the card of a narrow screen. */
  wide?: boolean;
  /** Has a line of its own in the card, without its title. The first column always has one. */
  lead?: boolean;
};

const row_px = 48;
/** An estimate: cards are measured when they are rendered. */
const card_px = 84;

export function RecordTable<Item extends { id: string }>({
  label,
  query,
  columns,
  empty,
}: {
  label: string;
  query: ListQuery<Item>;
  columns: Column<Item>[];
  empty: ReactNode;
}) {
  const scroller = useRef<HTMLDivElement>(null);
  const { items, hasNextPage, isFetchingNextPage, fetchNextPage } = query;
  const narrow = useNarrow();
  const rows = useVirtualizer({
    count: items.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => (narrow ? card_px : row_px),
    overscan: 12,
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: rows and cards have different heights
  useEffect(() => rows.measure(), [rows, narrow]);
  const visible = rows.getVirtualItems();
  const last = visible.at(-1)?.index ?? 0;
  useEffect(() => {
    if (hasNextPage && !isFetchingNextPage && last >= items.length - 30) void fetchNextPage();
  }, [hasNextPage, isFetchingNextPage, fetchNextPage, last, items.length]);

  if (query.error && items.length === 0) return <Problem error={query.error} />;
  if (!query.isPending && items.length === 0) return <section className="card flush">{empty}</section>;

  const visible_columns = narrow ? columns.toSorted((a, b) => placeInCard(a) - placeInCard(b)) : columns;
  const style = narrow
    ? {}
    : {
        gridTemplateColumns: visible_columns.map(({ width }) => width).join(' '),
        minWidth: `${minWidthRem(visible_columns)}rem`,
      };

  return (
    <section className="card flush">
      <div
        className={narrow ? 'table-scroll cards' : 'table-scroll'}
        ref={scroller}
        tabIndex={0}
        role="table"
        aria-label={label}
        aria-rowcount={items.length + 1}
      >
        <div role="rowgroup" className={narrow ? 'visually-hidden' : undefined}>
          <div className="table-head" role="row" style={style}>
            <Titles columns={visible_columns} />
          </div>
        </div>
        <div
          className="table-rows"
          role="rowgroup"
          style={{ minWidth: style.minWidth, height: rows.getTotalSize(), position: 'relative' }}
        >
          {visible.map(({ index, start }) => (
            <div
              className="table-row"
              role="row"
              aria-rowindex={index + 2}
              key={items[index]!.id}
              data-index={index}
              ref={narrow ? rows.measureElement : undefined}
              style={{ ...style, transform: `translateY(${start}px)` }}
            >
              <Cells columns={visible_columns} item={items[index]!} />
            </div>
          ))}
        </div>
      </div>
      <TableFoot query={query} scrollToTop={() => scroller.current?.scrollTo({ top: 0 })} />
    </section>
  );
}

const Titles = ({ columns }: { columns: { title: string }[] }) =>
  columns.map(({ title }) => (
    <div role="columnheader" key={title}>
      {title}
    </div>
  ));

const Cells = <Item,>({ columns, item }: { columns: Column<Item>[]; item: Item }) =>
  columns.map(({ title, cell, lead }, place) => (
    <div role="cell" key={title} className={lead || place === 0 ? 'clip lead' : 'clip'} data-title={title}>
      {cell(item)}
    </div>
  ));

function TableFoot<Item>({ query, scrollToTop }: { query: ListQuery<Item>; scrollToTop(): void }) {
  const { items, hasNextPage } = query;
  const showUpdates = () => {
    scrollToTop();
    void query.showUpdates();
  };
  return (
    <div className="table-foot row spread">
      <span role="status">
        {query.isPending
          ? 'Loading …'
          : `${items.length.toLocaleString('en')} shown${hasNextPage ? ', more as you scroll' : ''}`}
      </span>
      {query.has_updates && (
        <Button size="compact-xs" variant="default" onClick={showUpdates}>
          New events: show them
        </Button>
      )}
    </div>
  );
}

/** Buttons come last. */
const placeInCard = ({ title, wide }: { title: string; wide?: boolean }) =>
  title === 'Actions' ? 2 : Number(wide ?? false);

/** Every row is a separate grid. Columns align only if no row is narrower than its columns, gaps and padding. */
const minWidthRem = (columns: readonly { width: string }[]) =>
  columns.reduce((sum, { width }) => sum + Number(/([\d.]+)rem/.exec(width)![1]) + 1, 1.5);

const useNarrow = () => useMediaQuery('(max-width: 48rem)', false, { getInitialValueInEffect: false });
