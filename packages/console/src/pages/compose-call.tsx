// The form of a new call.
import { Button, Checkbox, NativeSelect, Textarea, TextInput } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { Consent } from '../parts/consent.tsx';
import { Form, given } from '../parts/form.tsx';
import { parley } from '../session/client.ts';
import { facts } from '../session/facts.ts';
import { useAgents, useNumbers } from '../state/reads.ts';
import { useAction } from '../state/use-action.tsx';

const own_phone = '+15005550210';
const people: [label: string, number: string][] = [
  ['your own phone', own_phone],
  ['a person who talks', '+15005550201'],
];

export function CallForm({ to: first }: { to: string }) {
  const navigate = useNavigate();
  const agents = useAgents();
  const numbers = useNumbers();
  const [to, setTo] = useState(first || (facts.is_sandbox ? own_phone : ''));
  const [from, setFrom] = useState('');
  const [agent_id, setAgent] = useState('');
  const [system_prompt, setPrompt] = useState('');
  const [first_message, setFirst] = useState('');
  const [record, setRecord] = useState(true);
  const [consent, setConsent] = useState(false);
  const place = useAction(
    () =>
      parley.calls.create({
        to,
        recipient_consent: consent as true,
        record,
        ...given({ from, agent_id, system_prompt, first_message }),
      }),
    {
      changes: ['calls'],
      says: 'The call is queued.',
      done: ({ id }) => void navigate({ to: `/calls/${id}` }),
    },
  );
  return (
    <Form action={place} onSend={() => place.run(undefined)} submit="Place the call">
      <TextInput
        label="To"
        value={to}
        onChange={(event) => setTo(event.currentTarget.value)}
        error={place.fieldError('to')}
        required
      />
      {facts.is_sandbox && (
        <div className="row small">
          <span className="muted">In the sandbox:</span>
          {people.map(([label, number]) => (
            <Button key={number} size="compact-xs" variant="default" onClick={() => setTo(number)}>
              {label}
            </Button>
          ))}
        </div>
      )}
      <NativeSelect
        label="From"
        value={from}
        onChange={(event) => setFrom(event.currentTarget.value)}
        data={[
          { value: '', label: 'Chosen for you' },
          ...(numbers.data ?? [])
            .filter(
              ({ provisioning_state, capabilities }) =>
                provisioning_state === 'active' && capabilities.includes('voice'),
            )
            .map(({ e164 }) => ({ value: e164, label: e164 })),
        ]}
      />
      <NativeSelect
        label="Agent"
        value={agent_id}
        onChange={(event) => setAgent(event.currentTarget.value)}
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
        value={system_prompt}
        onChange={(event) => setPrompt(event.currentTarget.value)}
        error={place.fieldError('system_prompt')}
      />
      <TextInput
        label="First words"
        value={first_message}
        onChange={(event) => setFirst(event.currentTarget.value)}
      />
      <Checkbox
        label="Keep a recording"
        checked={record}
        onChange={(event) => setRecord(event.currentTarget.checked)}
      />
      <Consent given={consent} onChange={setConsent} />
    </Form>
  );
}
