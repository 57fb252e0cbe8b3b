// The edit and delete actions of a table row.
import type { ReactNode } from 'react';
import { useAction } from '../state/use-action.tsx';
import { ConfirmButton, DialogButton } from './dialog.tsx';

export function RowActions({
  name,
  question = `Delete ${name}?`,
  remove,
  changes,
  children,
}: {
  name: string;
  question?: string;
  remove(): PromiseLike<unknown>;
  /** The list that deleting changes, by the first part of its query key. */
  changes: readonly string[];
  /** The form that edits the record. */
  children(close: () => void): ReactNode;
}) {
  const removal = useAction(remove, { changes, message: `${name} was deleted.`, toast_error: true });
  return (
    <span className="row" style={{ flexWrap: 'nowrap' }}>
      <DialogButton size="row" label="Edit" title={`Edit ${name}`}>
        {children}
      </DialogButton>
      <ConfirmButton
        size="row"
        label="Delete"
        question={question}
        busy={removal.busy}
        onConfirm={() => removal.run(undefined)}
      />
    </span>
  );
}
