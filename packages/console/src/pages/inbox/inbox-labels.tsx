// The labels of a conversation: each can be removed, and new ones are typed.
import { TextInput } from '@mantine/core';
import type { Conversation } from '@parley/sdk';
import { IconX } from '@tabler/icons-react';
import { type FormEvent, useRef, useState } from 'react';
import { parley } from '../../session/client.ts';
import { useAction } from '../../state/use-action.tsx';

export function Labels({ conversation: { id, labels } }: { conversation: Conversation }) {
  const [text, setText] = useState('');
  const field = useRef<HTMLInputElement>(null);
  const change = useAction(
    (changed: { add?: string[]; remove?: string[] }) => parley.conversations.update(id, { labels: changed }),
    {
      changes: ['conversations'],
      done: () => setText(''),
    },
  );
  // At once: the button goes away with its label, and a person who went on meanwhile keeps the focus.
  const remove = (label: string) => {
    field.current?.focus();
    change.run({ remove: [label] });
  };
  const add = (event: FormEvent) => {
    event.preventDefault();
    const label = text.trim().toLowerCase();
    if (label !== '') change.run({ add: [label] });
  };
  return (
    <div className="stack tight">
      {labels.length > 0 && (
        <ul className="labels" aria-label="Labels">
          {labels.map((label) => (
            <li key={label}>
              <button type="button" onClick={() => remove(label)}>
                <span className="visually-hidden">Remove the label </span>
                {label}
                <IconX size={12} aria-hidden />
              </button>
            </li>
          ))}
        </ul>
      )}
      <form onSubmit={add}>
        <TextInput
          ref={field}
          label="Add a label"
          size="xs"
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
          error={change.error?.message}
          placeholder="billing"
        />
      </form>
    </div>
  );
}
