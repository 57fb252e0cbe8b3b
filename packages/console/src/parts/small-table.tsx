// A table with a few rows, rendered completely.
import type { ReactNode } from 'react';
import type { Column } from './record-table.tsx';

export function SmallTable<Item>({
  label,
  items,
  keyOf,
  columns,
  empty,
}: {
  label: string;
  items: readonly Item[];
  keyOf(item: Item): string;
  columns: Column<Item>[];
  empty?: ReactNode;
}) {
  if (items.length === 0 && empty) return empty;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what may scroll must be reachable without a mouse
    <section className="small-table" tabIndex={0} aria-label={label}>
      <table>
        <thead>
          <tr>
            {columns.map(({ title, width }) => (
              <th key={title} style={{ width }} scope="col">
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {items.map((item) => (
            <tr key={keyOf(item)}>
              {columns.map(({ title, cell }) => (
                <td key={title} data-title={title}>
                  {cell(item)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
