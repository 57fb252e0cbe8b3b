// The relay of an agent: a program of the organization that converses on calls in place of a model.
import { Checkbox, NativeSelect, PasswordInput, TextInput } from '@mantine/core';
import type { Agent, AgentRelay } from '@parley/sdk';
import { useMemo } from 'react';
import { Form } from '../../parts/form.tsx';
import { type Pair, PairRows, pairsOf, recordOf } from '../../parts/pair-rows.tsx';
import { parley } from '../../session/client.ts';
import type { useForm } from '../../state/use-form.ts';
import { useStoredForm } from '../../state/use-stored-form.ts';

const fieldsOf = (relay: AgentRelay | null | undefined) => ({
  url: relay?.url ?? '',
  secret: '',
  parameters: pairsOf(relay?.parameters ?? {}) as Pair[],
  dtmf: relay?.dtmf ?? true,
  partial_prompts: relay?.partial_prompts ?? false,
  interruptible: relay?.interruptible ?? 'any',
  fallback: relay?.fallback ?? false,
  transfer: relay?.on_end?.transfer ?? '',
});
type Fields = ReturnType<typeof fieldsOf>;
type RelayFields = ReturnType<typeof useForm<Fields, Agent>>;

/** The stored secret cannot be read, so it is sent only when a new one is given. */
const relayOf = ({ url, secret, parameters, transfer, ...rest }: Fields): AgentRelay | null =>
  url === ''
    ? null
    : {
        url,
        ...(secret === '' ? {} : { secret }),
        parameters: recordOf(parameters),
        ...rest,
        on_end: { transfer: transfer || null },
      };

const Options = ({ form, agent }: { form: RelayFields; agent: Agent }) => (
  <>
    <PairRows
      label="Parameters"
      about="Sent to the program at the start of each call."
      noun="parameter"
      pairs={form.fields.parameters}
      onChange={(parameters) => form.set({ parameters })}
    />
    <div className="grid two">
      <NativeSelect
        label="What interrupts its words"
        {...form.field('interruptible')}
        data={[
          { value: 'any', label: 'Speech and keys' },
          { value: 'speech', label: 'Speech' },
          { value: 'dtmf', label: 'Keys' },
          { value: 'none', label: 'Nothing' },
        ]}
      />
      <NativeSelect
        label="When it ends the call with data"
        {...form.field('transfer')}
        data={[
          { value: '', label: 'Hang up' },
          ...agent.destinations
            .filter(({ phone }) => phone)
            .map(({ name }) => ({ value: name, label: `Transfer to ${name}` })),
        ]}
      />
    </div>
    <Checkbox label="It gets pressed keys" {...form.checkbox('dtmf')} />
    <Checkbox label="It gets words while they are spoken" {...form.checkbox('partial_prompts')} />
    <Checkbox label="The language model takes over when it fails" {...form.checkbox('fallback')} />
  </>
);

export function RelayForm({ agent }: { agent: Agent }) {
  const { relay } = agent.engines;
  // Each call makes new keys for the rows of parameters.
  const stored = useMemo(() => fieldsOf(relay), [relay]);
  const form: RelayFields = useStoredForm(
    stored,
    (fields) => parley.agents.update(agent.id, { engines: { relay: relayOf(fields) } }),
    {
      draft: `${agent.id}/relay`,
      not_in_draft: ['secret'],
      changes: ['agents'],
      message: 'The relay is saved.',
      done: () => form.set({ secret: '' }),
    },
  );
  return (
    <Form action={form} submit="Save relay">
      <TextInput
        label="Address of the relay"
        description="A program of yours that answers on calls, with ConversationRelay frames. Empty: the language model answers."
        placeholder="wss://relay.example.com/call"
        {...form.field('url')}
      />
      {form.fields.url !== '' && (
        <>
          <PasswordInput
            label="Secret"
            description={
              relay ? 'Empty: the stored one stays.' : 'Signs each connection. At least 8 characters.'
            }
            autoComplete="new-password"
            {...form.field('secret')}
            required={!relay}
          />
          <Options form={form} agent={agent} />
        </>
      )}
    </Form>
  );
}
