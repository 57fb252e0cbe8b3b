// The form of one destination of an agent: how it is reached, and how calls are transferred to it.
import { NativeSelect, Textarea, TextInput } from '@mantine/core';
import type { Agent, AgentDestination } from '@parley/sdk';
import { Consent } from '../../parts/consent.tsx';
import { Form } from '../../parts/form.tsx';
import { parley } from '../../session/client.ts';
import { useForm } from '../../state/use-form.ts';

type Transfer = NonNullable<AgentDestination['transfer']>;

const fieldsOf = (given?: AgentDestination) => {
  const transfer = given?.transfer ?? {};
  const brief = transfer.brief ?? 'summary';
  const is_own_text = brief !== 'summary' && brief !== 'none';
  return {
    name: given?.name ?? '',
    description: given?.description ?? '',
    phone: given?.phone ?? '',
    email: given?.email ?? '',
    mode: transfer.mode ?? 'warm',
    brief: is_own_text ? 'text' : brief,
    brief_text: is_own_text ? brief : '',
    accept: transfer.accept ?? 'yes_or_1',
    ring_timeout_seconds: String(transfer.ring_timeout_seconds ?? 25),
    on_failure: transfer.on_failure ?? 'return',
    announce: transfer.announce ?? '',
    then: transfer.then ?? '',
    recipient_consent: given !== undefined,
  };
};
type Fields = ReturnType<typeof fieldsOf>;
type DestinationForm = ReturnType<typeof useForm<Fields, Agent>>;

const destinationOf = (fields: Fields): AgentDestination => ({
  name: fields.name,
  description: fields.description,
  phone: fields.phone || null,
  email: fields.email || null,
  recipient_consent: fields.recipient_consent as true,
  transfer: {
    mode: fields.mode,
    brief: fields.brief === 'text' ? fields.brief_text : fields.brief,
    accept: fields.accept,
    ring_timeout_seconds: Number(fields.ring_timeout_seconds),
    on_failure: fields.on_failure,
    announce: fields.announce || null,
    then: fields.then || null,
  } as Transfer,
});

const Briefing = ({ form }: { form: DestinationForm }) => (
  <>
    <NativeSelect
      label="Briefing"
      {...form.field('brief')}
      data={[
        { value: 'summary', label: 'A summary of the call' },
        { value: 'text', label: 'A fixed text' },
        { value: 'none', label: 'None' },
      ]}
    />
    {form.fields.brief === 'text' && (
      <Textarea label="Text of the briefing" autosize {...form.field('brief_text')} required />
    )}
    <NativeSelect
      label="The colleague accepts"
      {...form.field('accept')}
      data={[
        { value: 'yes_or_1', label: 'By saying yes or pressing 1' },
        { value: 'none', label: 'By answering the phone' },
      ]}
    />
  </>
);

function TransferFields({ form, others }: { form: DestinationForm; others: string[] }) {
  return (
    <fieldset className="plain stack">
      <legend>Transfers of calls</legend>
      <NativeSelect
        label="Mode"
        {...form.field('mode')}
        data={[
          { value: 'warm', label: 'Warm: the colleague is briefed first' },
          { value: 'blind', label: 'Blind: connected at once' },
        ]}
      />
      {form.fields.mode === 'warm' && <Briefing form={form} />}
      <TextInput label="Said to the person before it" {...form.field('announce')} />
      <TextInput
        type="number"
        min={5}
        max={60}
        label="Rings for seconds"
        {...form.field('ring_timeout_seconds')}
        required
      />
      <NativeSelect
        label="If the colleague does not take the call"
        {...form.field('on_failure')}
        data={[
          { value: 'return', label: 'The agent goes on with the person' },
          { value: 'end_call', label: 'The agent says goodbye' },
          { value: 'next', label: 'Try another destination' },
        ]}
      />
      {form.fields.on_failure === 'next' && (
        <NativeSelect label="The other destination" {...form.field('then')} data={['', ...others]} required />
      )}
    </fieldset>
  );
}

export function DestinationForm({
  agent,
  destination,
  close,
}: {
  agent: Agent;
  destination?: AgentDestination;
  close(): void;
}) {
  const form: DestinationForm = useForm(
    fieldsOf(destination),
    (fields) => {
      const changed = destinationOf(fields);
      const destinations = destination
        ? agent.destinations.map((each) => (each.name === destination.name ? changed : each))
        : [...agent.destinations, changed];
      return parley.agents.update(agent.id, { destinations });
    },
    { changes: ['agents'], message: 'The destination is saved.', done: close },
  );
  const place = destination ? agent.destinations.indexOf(destination) : agent.destinations.length;
  const errorOf = (name: string) => form.fieldError(`destinations\\[${place}\\]\\.${name}`);
  /** Another recipient has not agreed yet. */
  const contact = (name: 'phone' | 'email') => ({
    ...form.field(name),
    error: errorOf(name),
    onChange: (event: { currentTarget: { value: string } }) =>
      form.set({ [name]: event.currentTarget.value, recipient_consent: false }),
  });
  const others = agent.destinations.map(({ name }) => name).filter((name) => name !== destination?.name);
  return (
    <Form action={form} submit="Save destination">
      <TextInput
        label="Name"
        description="What the agent calls it: lower-case letters, digits and _."
        placeholder="billing"
        {...form.field('name')}
        error={errorOf('name')}
        required
      />
      <TextInput label="What it is for" {...form.field('description')} />
      <div className="grid two">
        <TextInput label="Phone number" placeholder="+15005550211" {...contact('phone')} />
        <TextInput label="Email address" type="email" {...contact('email')} />
      </div>
      {form.fields.phone !== '' && <TransferFields form={form} others={others} />}
      <Consent {...form.checkbox('recipient_consent')} error={errorOf('recipient_consent')} />
    </Form>
  );
}
