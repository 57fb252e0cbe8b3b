// The form of a new call.
import { Button, Checkbox, NativeSelect, Textarea, TextInput } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { Consent } from '../parts/consent.tsx';
import { Form, given } from '../parts/form.tsx';
import { OwnNumber } from '../parts/own-number.tsx';
import { parley } from '../session/client.ts';
import { facts } from '../session/facts.ts';
import { useAgents } from '../state/reads.ts';
import { useForm } from '../state/use-form.ts';

const own_phone = '+15005550210';
const people: [label: string, number: string][] = [
  ['your own phone', own_phone],
  ['a person who talks', '+15005550201'],
];

export function CallForm({ to: first }: { to: string }) {
  const navigate = useNavigate();
  const agents = useAgents();
  const form = useForm(
    {
      to: first || (facts.is_sandbox ? own_phone : ''),
      from: '',
      agent_id: '',
      system_prompt: '',
      first_message: '',
      record: true,
      recipient_consent: false,
    },
    ({ to, record, recipient_consent, ...rest }, options) =>
      parley.calls.create(
        { to, record, recipient_consent: recipient_consent as true, ...given(rest) },
        options,
      ),
    {
      changes: ['calls'],
      says: 'The call is queued.',
      done: ({ id }) => void navigate({ to: `/calls/${id}` }),
    },
  );
  return (
    <Form action={form} submit="Place the call">
      <TextInput label="To" {...form.field('to')} required />
      {facts.is_sandbox && (
        <div className="row small">
          <span className="muted">In the sandbox:</span>
          {people.map(([label, number]) => (
            <Button key={number} size="compact-xs" variant="default" onClick={() => form.set({ to: number })}>
              {label}
            </Button>
          ))}
        </div>
      )}
      <OwnNumber can="voice" {...form.field('from')} />
      <NativeSelect
        label="Agent"
        {...form.field('agent_id')}
        data={[
          { value: '', label: 'None: as told below' },
          ...(agents.data ?? []).map(({ id, name }) => ({ value: id, label: name })),
        ]}
      />
      <Textarea
        label="What the agent is told"
        description="Its task and what it should know."
        autosize
        minRows={3}
        {...form.field('system_prompt')}
      />
      <TextInput label="First words" {...form.field('first_message')} />
      <Checkbox label="Keep a recording" {...form.tick('record')} />
      <Consent {...form.tick('recipient_consent')} />
    </Form>
  );
}
