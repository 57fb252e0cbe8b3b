// A small button for the rows of tables, as light as a row that is drawn while somebody scrolls must be.
import type { ReactNode } from 'react';

export const RowButton = ({
  onClick,
  loading = false,
  children,
  ...rest
}: {
  onClick(): void;
  loading?: boolean;
  children: ReactNode;
  'aria-label'?: string;
}) => (
  <button
    type="button"
    className="row-button"
    onClick={onClick}
    disabled={loading}
    aria-busy={loading}
    {...rest}
  >
    {children}
  </button>
);
