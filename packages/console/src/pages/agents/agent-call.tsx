// "Call me": places a call with this agent to the phone in the console, or to a number that the user types.
import { SegmentedControl, TextInput } from '@mantine/core';
import type { Agent } from '@parley/sdk';
import { useNavigate } from '@tanstack/react-router';
import { Consent } from '../../parts/consent.tsx';
import { Form } from '../../parts/form.tsx';
import { PairRows, pairsOf } from '../../parts/pair-rows.tsx';
import { parley } from '../../session/client.ts';
import { facts } from '../../session/facts.ts';
import { own_phone } from '../../state/examples.ts';
import { useForm } from '../../state/use-form.ts';
import { variablesOf } from './agent-conversation.tsx';

export function CallMeForm({ agent }: { agent: Agent }) {
  const navigate = useNavigate();
  const form = useForm(
    {
      where: facts.is_sandbox ? 'here' : 'number',
      to: '',
      recipient_consent: false,
      pairs: pairsOf(agent.variables),
    },
    ({ where, to, recipient_consent, pairs }, options) =>
      parley.calls.create(
        {
          agent_id: agent.id,
          variables: variablesOf(pairs, agent.variables),
          // The phone of the console is the user's own.
          ...(where === 'here'
            ? { to: own_phone, recipient_consent: true as const }
            : { to, recipient_consent: recipient_consent as true }),
        },
        options,
      ),
    {
      changes: ['calls', 'phone'],
      message: 'The call is queued.',
      done: ({ id }) => void navigate({ to: `/calls/${id}` }),
    },
  );
  return (
    <Form action={form} submit="Call me now">
      {facts.is_sandbox && (
        <SegmentedControl
          aria-label="Where to call you"
          data={[
            { value: 'here', label: 'In this console' },
            { value: 'number', label: 'At a number' },
          ]}
          value={form.fields.where}
          onChange={(where) => form.set({ where })}
        />
      )}
      {form.fields.where === 'here' ? (
        <p style={{ margin: 0 }}>
          The phone of this console (<span className="mono">{own_phone}</span>) rings. Answer it and talk, or
          type what you say.
        </p>
      ) : (
        <>
          <TextInput label="Number" placeholder="+14155550123" {...form.field('to')} required />
          <Consent {...form.checkbox('recipient_consent')} />
        </>
      )}
      <PairRows
        label="Variables of this call"
        about="Values for {{name}} in the instructions."
        noun="variable"
        pairs={form.fields.pairs}
        onChange={(pairs) => form.set({ pairs })}
      />
    </Form>
  );
}
