// A window over the page. The browser's own dialog keeps the focus inside, closes on Escape and gives the focus back.
import { Button, CloseButton } from '@mantine/core';
import { type ReactNode, useEffect, useId, useRef, useState } from 'react';

export function Dialog({
  title,
  opened,
  onClose,
  side,
  children,
}: {
  title: string;
  opened: boolean;
  onClose(): void;
  /** At the left edge, for the menu. */
  side?: boolean;
  children: ReactNode;
}) {
  const place = useRef<HTMLDialogElement>(null);
  const title_id = useId();
  useEffect(() => {
    const dialog = place.current;
    if (opened && dialog && !dialog.open) dialog.showModal();
    if (!opened && dialog?.open) dialog.close();
  }, [opened]);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes it; the click is on what lies around it
    <dialog
      ref={place}
      className={side ? 'dialog side' : 'dialog'}
      aria-labelledby={title_id}
      onClose={onClose}
      onClick={(event) => {
        if (event.target === place.current) onClose();
      }}
    >
      {opened && (
        <>
          <header>
            <h2 id={title_id}>{title}</h2>
            <CloseButton aria-label="Close" onClick={onClose} />
          </header>
          <div>{children}</div>
        </>
      )}
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
      <Button variant={variant} size={size} onClick={() => setOpen(true)}>
        {label}
      </Button>
      <Dialog title={title} opened={is_open} onClose={close}>
        {children(close)}
      </Dialog>
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
