// A small button for table rows, cheap enough to be rendered while scrolling.
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
