// Why a message or call waits, with what a person can do about it: cancel it, move it to another time, or decide about it.
import { TextInput } from '@mantine/core';
import type { Hold } from '@parley/sdk';
import { useState } from 'react';
import { useAction } from '../state/use-action.tsx';
import { ConfirmButton, DialogButton } from './dialog.tsx';
import { Form } from './form.tsx';
import { PageLink } from './link.tsx';
import { Time } from './time.tsx';

type Move = (scheduled_at: string) => PromiseLike<unknown>;

function MoveForm({
  at,
  move,
  changes,
  close,
}: {
  at: string;
  move: Move;
  changes: readonly string[];
  close(): void;
}) {
  const [time, setTime] = useState(new Date(at).toISOString().slice(0, 16));
  const action = useAction(() => move(new Date(`${time}Z`).toISOString()), {
    // A new time needs a new approval.
    changes: [...changes, 'approvals'],
    message: 'The time was changed.',
    done: close,
  });
  return (
    <Form action={action} submit="Change time">
      <TextInput
        type="datetime-local"
        label="New time (UTC)"
        description="If a person approved it, the new time needs a new approval."
        value={time}
        onChange={(event) => setTime(event.currentTarget.value)}
        error={action.fieldError('scheduled_at')}
        required
      />
    </Form>
  );
}

const words = {
  email: { not_yet: 'Not sent yet.', never: 'It will not be sent.' },
  text: { not_yet: 'Not sent yet.', never: 'It will not be sent.' },
  call: { not_yet: 'Not placed yet.', never: 'It will not be placed.' },
};
const until_labels: Partial<Record<Hold['kind'], string>> = {
  approval: 'Expires',
  schedule: 'Scheduled for',
};

/** Not a landmark of the page, because a conversation can show several. */
export function HoldNotice({
  hold,
  noun,
  changes,
  cancel,
  move,
}: {
  hold: Hold;
  noun: 'email' | 'text' | 'call';
  /** The lists that a change affects, by the first part of their query keys. */
  changes: readonly string[];
  cancel(): PromiseLike<unknown>;
  move: Move;
}) {
  const canceling = useAction(cancel, {
    changes: [...changes, 'approvals'],
    message: `The ${noun} was canceled.`,
    toast_error: true,
  });
  return (
    <article className="hold stack tight" aria-label={`Why the ${noun} waits`}>
      <span>
        <strong>{words[noun].not_yet}</strong> {hold.message}{' '}
        {hold.until && (
          <span className="muted">
            {until_labels[hold.kind] ?? 'Next check'} <Time at={hold.until} />
          </span>
        )}
      </span>
      <span className="row">
        {hold.approval_id && (
          <PageLink to="/approvals" search={{ id: hold.approval_id }}>
            Decide
          </PageLink>
        )}
        {hold.kind === 'schedule' && hold.until && (
          <DialogButton size="row" label="Change the time">
            {(close) => <MoveForm at={hold.until!} move={move} changes={changes} close={close} />}
          </DialogButton>
        )}
        <ConfirmButton
          size="row"
          label={`Cancel the ${noun}`}
          question={`Cancel the ${noun}? ${words[noun].never}`}
          busy={canceling.busy}
          onConfirm={() => canceling.run(undefined)}
        />
      </span>
    </article>
  );
}
