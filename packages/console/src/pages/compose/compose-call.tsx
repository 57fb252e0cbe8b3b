// The form for a new call.
import { Button, Checkbox, NativeSelect, Textarea, TextInput } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { Consent } from '../../parts/consent.tsx';
import { Form, withoutEmpty } from '../../parts/form.tsx';
import { OwnNumber } from '../../parts/own-number.tsx';
import { parley } from '../../session/client.ts';
import { facts } from '../../session/facts.ts';
import { own_phone } from '../../state/examples.ts';
import { useAgents } from '../../state/reads.ts';
import { useForm } from '../../state/use-form.ts';

const people: [label: string, number: string][] = [
  ['your own phone', own_phone],
  ['a simulated person', '+15005550201'],
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
        { to, record, recipient_consent: recipient_consent as true, ...withoutEmpty(rest) },
        options,
      ),
    {
      changes: ['calls'],
      message: 'The call is queued.',
      done: ({ id }) => void navigate({ to: `/calls/${id}` }),
    },
  );
  return (
    <Form action={form} submit="Place call">
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
          { value: '', label: 'None: use the instructions below' },
          ...(agents.data ?? []).map(({ id, name }) => ({ value: id, label: name })),
        ]}
      />
      <Textarea
        label="Instructions for the agent"
        description="Its task and what it should know."
        autosize
        minRows={3}
        {...form.field('system_prompt')}
      />
      <TextInput label="First sentence" {...form.field('first_message')} />
      <Checkbox label="Store a recording" {...form.checkbox('record')} />
      <Consent {...form.checkbox('recipient_consent')} />
    </Form>
  );
}
