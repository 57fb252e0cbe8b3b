// A modal dialog. The browser's own dialog element traps the focus, closes on Escape and restores the focus.
import { Button, CloseButton } from '@mantine/core';
import { type ReactNode, useId, useLayoutEffect, useRef, useState } from 'react';
import { RowButton } from './row-button.tsx';

type DialogProps = {
  title: string;
  opened: boolean;
  onClose(): void;
  /** At the left edge, for the menu. */
  side?: boolean;
  children: ReactNode;
};

/** Rendered only while open: a table may have one in every row. */
export const Dialog = ({ opened, ...rest }: DialogProps) => (opened ? <OpenDialog {...rest} /> : null);

function OpenDialog({ title, onClose, side, children }: Omit<DialogProps, 'opened'>) {
  const element = useRef<HTMLDialogElement>(null);
  const title_id = useId();
  useLayoutEffect(() => {
    const dialog = element.current!;
    dialog.showModal();
    // Closing restores the focus.
    return () => dialog.close();
  }, []);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes it; the click is on the backdrop
    <dialog
      ref={element}
      className={side ? 'dialog side' : 'dialog'}
      aria-labelledby={title_id}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onClick={(event) => {
        if (event.target === element.current) onClose();
      }}
    >
      <header>
        <h2 id={title_id}>{title}</h2>
        <CloseButton aria-label="Close" onClick={onClose} />
      </header>
      <div>{children}</div>
    </dialog>
  );
}

/** A button that opens a form; the form closes the dialog when it is done. */
export function DialogButton({
  label,
  title = label,
  variant = 'filled',
  size = 'sm',
  children,
}: {
  label: string;
  title?: string;
  variant?: string;
  size?: string;
  children(close: () => void): ReactNode;
}) {
  const [is_open, setOpen] = useState(false);
  const close = () => setOpen(false);
  return (
    <>
      {size === 'row' ? (
        <RowButton onClick={() => setOpen(true)} aria-label={title}>
          {label}
        </RowButton>
      ) : (
        <Button variant={variant} size={size} onClick={() => setOpen(true)}>
          {label}
        </Button>
      )}
      {is_open && (
        <Dialog title={title} opened onClose={close}>
          {children(close)}
        </Dialog>
      )}
    </>
  );
}

/** For actions that cannot be undone: says what will happen, and asks for confirmation. */
export function ConfirmButton({
  label,
  question,
  sure = label,
  onConfirm,
  busy,
  size = 'sm',
}: {
  label: string;
  question: ReactNode;
  sure?: string;
  onConfirm(): void;
  busy?: boolean;
  size?: string;
}) {
  return (
    <DialogButton label={label} variant="default" size={size}>
      {(close) => (
        <div className="stack">
          <p style={{ margin: 0 }}>{question}</p>
          <div className="row end">
            <Button variant="default" onClick={close}>
              Cancel
            </Button>
            <Button
              color="red.9"
              loading={busy}
              onClick={() => {
                onConfirm();
                close();
              }}
            >
              {sure}
            </Button>
          </div>
        </div>
      )}
    </DialogButton>
  );
}
