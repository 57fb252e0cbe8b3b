// A window over the page. The browser's own dialog keeps the focus inside, closes on Escape and gives the focus back.
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

/** There only while it is open: a table may have one in every row. */
export const Dialog = ({ opened, ...rest }: DialogProps) => (opened ? <OpenDialog {...rest} /> : null);

function OpenDialog({ title, onClose, side, children }: Omit<DialogProps, 'opened'>) {
  const place = useRef<HTMLDialogElement>(null);
  const title_id = useId();
  useLayoutEffect(() => {
    const dialog = place.current!;
    dialog.showModal();
    // Closing gives the focus back to where it was.
    return () => dialog.close();
  }, []);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes it; the click is on what lies around it
    <dialog
      ref={place}
      className={side ? 'dialog side' : 'dialog'}
      aria-labelledby={title_id}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onClick={(event) => {
        if (event.target === place.current) onClose();
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

/** A button that opens a form, which closes it when it is done. */
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

/** For what cannot be taken back: says what will happen, and asks. */
export function ConfirmButton({
  label,
  question,
  sure = label,
  onSure,
  busy,
  size = 'sm',
}: {
  label: string;
  question: ReactNode;
  sure?: string;
  onSure(): void;
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
              Keep it
            </Button>
            <Button
              color="red.9"
              loading={busy}
              onClick={() => {
                onSure();
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
