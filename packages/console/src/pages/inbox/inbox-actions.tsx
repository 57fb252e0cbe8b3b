// What people do with a conversation: done, open again, snooze, mark as unread. Each can be undone from its notification.
import { Button, TextInput } from '@mantine/core';
import type { Conversation, ConversationPatch } from '@parley/sdk';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { Dialog } from '../../parts/dialog.tsx';
import { RowButton } from '../../parts/row-button.tsx';
import { showToast } from '../../parts/toasts.tsx';
import { parley } from '../../session/client.ts';
import { useAheadMs } from '../../state/reads.ts';
import { useAction } from '../../state/use-action.tsx';
import { useKeys } from '../../state/use-keys.ts';

const day_and_time = new Intl.DateTimeFormat('en-GB', {
  weekday: 'short',
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
});

type Change = { id: string; patch: ConversationPatch; message: string; undo?: ConversationPatch };

export function useConversationActions() {
  const change = useAction(({ id, patch }: Change) => parley.conversations.update(id, patch), {
    changes: ['conversations'],
    toast_error: true,
    done: (_, { id, message, undo }) =>
      showToast(
        <span className="row">
          {message}
          {undo && (
            <RowButton onClick={() => change.run({ id, patch: undo, message: 'Undone.' })}>Undo</RowButton>
          )}
        </span>,
      ),
  });
  const markUnread = useAction(
    ({ id }: Conversation) => parley.conversations.markRead(id, { unread: true }),
    {
      changes: ['conversations'],
      toast_error: true,
    },
  );
  return {
    /** Done, or open again when it is done. */
    toggleDone({ id, title, status, snoozed_until }: Conversation) {
      const undo: ConversationPatch = { status, ...(snoozed_until ? { snoozed_until } : {}) };
      if (status === 'closed')
        change.run({ id, patch: { status: 'open' }, message: `${title} is open again.`, undo });
      else change.run({ id, patch: { status: 'closed' }, message: `${title} is done.`, undo });
    },
    snooze({ id, title, status }: Conversation, until: Date) {
      const snoozed_until = until.toISOString();
      change.run({
        id,
        patch: { status: 'snoozed', snoozed_until },
        message: `${title} is snoozed until ${day_and_time.format(until)}.`,
        undo: { status: status === 'snoozed' ? 'open' : status },
      });
    },
    markUnread: (conversation: Conversation) => markUnread.run(conversation),
  };
}

const work_begins_hour = 8;
const hour_ms = 3_600_000;

function morningAfter(now: Date, days: number): Date {
  const at = new Date(now);
  at.setDate(at.getDate() + days);
  at.setHours(work_begins_hour, 0, 0, 0);
  return at;
}

/** Times of the person's own day. */
const choicesAt = (now: Date): [label: string, at: Date][] => [
  ['In three hours', new Date(now.getTime() + 3 * hour_ms)],
  ['Tomorrow', morningAfter(now, 1)],
  ['On Monday', morningAfter(now, (8 - now.getDay()) % 7 || 7)],
  ['In a week', morningAfter(now, 7)],
];

/** As a field of type datetime-local wants it. */
const localTime = (at: Date) =>
  new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);

export function SnoozeDialog({
  conversation,
  onChoose,
  close,
}: {
  conversation: Conversation;
  onChoose(until: Date): void;
  close(): void;
}) {
  const [now] = useState(new Date(Date.now() + useAheadMs()));
  const [own_time, setOwnTime] = useState(localTime(morningAfter(now, 2)));
  const choices = choicesAt(now);
  const list = useRef<HTMLUListElement>(null);
  useEffect(() => list.current?.querySelector('button')?.focus(), []);
  const choose = (until: Date) => {
    close();
    onChoose(until);
  };
  useKeys(
    Object.fromEntries(choices.map(([, at], index) => [String(index + 1), () => choose(at)])),
    'dialog',
  );
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (own_time !== '') choose(new Date(own_time));
  };
  return (
    <Dialog title={`Snooze ${conversation.title}`} opened onClose={close}>
      <div className="stack">
        <ul className="snooze-choices" ref={list}>
          {choices.map(([label, at], index) => (
            <li key={label}>
              <button type="button" onClick={() => choose(at)} aria-keyshortcuts={String(index + 1)}>
                <kbd>{index + 1}</kbd> {label} <span className="muted">{day_and_time.format(at)}</span>
              </button>
            </li>
          ))}
        </ul>
        <form className="row" style={{ alignItems: 'flex-end' }} onSubmit={submit}>
          <TextInput
            type="datetime-local"
            label="At another time"
            value={own_time}
            min={localTime(now)}
            onChange={(event) => setOwnTime(event.currentTarget.value)}
            required
          />
          <Button type="submit" variant="default">
            Snooze
          </Button>
        </form>
      </div>
    </Dialog>
  );
}
