// What can be done with the thing of a row: change it, or delete it.
import type { ReactNode } from 'react';
import { useAction } from '../state/use-action.tsx';
import { ConfirmButton, DialogButton } from './dialog.tsx';

export function RowActs({
  name,
  question = `Delete ${name}?`,
  remove,
  changes,
  children,
}: {
  name: string;
  question?: string;
  remove(): PromiseLike<unknown>;
  /** What deleting it changes, by the first word of its name. */
  changes: readonly string[];
  /** The form that changes it. */
  children(close: () => void): ReactNode;
}) {
  const removal = useAction(remove, { changes, says: `${name} is deleted.`, loud: true });
  return (
    <span className="row" style={{ flexWrap: 'nowrap' }}>
      <DialogButton size="row" label="Change" title={`Change ${name}`}>
        {children}
      </DialogButton>
      <ConfirmButton
        size="row"
        label="Delete"
        question={question}
        busy={removal.busy}
        onSure={() => removal.run(undefined)}
      />
    </span>
  );
}
