// Merges another conversation into this one, for a person who writes from a second address or number.
import { TextInput } from '@mantine/core';
import type { Conversation } from '@parley/sdk';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Form } from '../../parts/form.tsx';
import { Read } from '../../parts/page.tsx';
import { Time } from '../../parts/time.tsx';
import { parley } from '../../session/client.ts';
import { useAction } from '../../state/use-action.tsx';

const offered = 200;
const max_choices = 30;

const isMatch = ({ title, participants }: Conversation, text: string) =>
  [title, ...participants.map(({ address }) => address)].some((each) => each.toLowerCase().includes(text));

function Choices({
  of: conversation,
  text,
  chosen,
  choose,
}: {
  of: Conversation;
  text: string;
  chosen: string;
  choose(id: string): void;
}) {
  const recent = useQuery({
    queryKey: ['conversations', 'recent'],
    queryFn: async () => (await parley.conversations.list({ limit: offered })).items,
  });
  return (
    <Read query={recent}>
      {(items) => (
        <fieldset className="merge-choices">
          <legend className="visually-hidden">Conversation to merge</legend>
          {items
            .filter(({ id, kind }) => id !== conversation.id && kind === conversation.kind)
            .filter((each) => isMatch(each, text))
            .slice(0, max_choices)
            .map(({ id, title, last_item }) => (
              <label key={id}>
                <input
                  type="radio"
                  name="merge"
                  required
                  checked={chosen === id}
                  onChange={() => choose(id)}
                />
                <span className="clip">{title}</span>
                <span className="small muted">{last_item && <Time at={last_item.at} />}</span>
              </label>
            ))}
        </fieldset>
      )}
    </Read>
  );
}

export function MergeDialog({ conversation, close }: { conversation: Conversation; close(): void }) {
  const [text, setText] = useState('');
  const [chosen, choose] = useState('');
  const merge = useAction(() => parley.conversations.merge(chosen, { into: conversation.id }), {
    changes: ['conversations'],
    message: 'The conversations are merged.',
    done: close,
  });
  return (
    <Form action={merge} submit="Merge">
      <p style={{ margin: 0 }}>
        Everything of the other conversation moves into {conversation.title}. This cannot be undone.
      </p>
      <TextInput
        label="Find a conversation"
        value={text}
        onChange={(event) => setText(event.currentTarget.value.toLowerCase())}
      />
      <Choices of={conversation} text={text} chosen={chosen} choose={choose} />
    </Form>
  );
}
