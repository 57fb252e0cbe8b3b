// How an agent answers texts and emails.
import { Checkbox, NativeSelect, Textarea, TextInput } from '@mantine/core';
import type { Agent } from '@parley/sdk';
import { Form, splitList } from '../../parts/form.tsx';
import { parley } from '../../session/client.ts';
import type { useForm } from '../../state/use-form.ts';
import { useStoredForm } from '../../state/use-stored-form.ts';

type Messaging = Agent['messaging'];

const fieldsOf = (messaging: Messaging) => ({
  reply_mode: messaging.reply_mode ?? 'send',
  reply_delay_seconds: String(messaging.reply_delay_seconds ?? ''),
  replies_per_hour: String(messaging.replies_per_hour ?? ''),
  replies_per_day: String(messaging.replies_per_day ?? ''),
  human_pause_minutes: String(messaging.human_pause_minutes ?? ''),
  history_messages: String(messaging.history_messages ?? ''),
  include_calls: messaging.include_calls ?? true,
  link_hosts: (messaging.link_hosts ?? []).join('\n'),
  fallback_message: messaging.fallback_message ?? '',
  hand_over_to: messaging.hand_over_to ?? '',
  has_quiet_hours: Boolean(messaging.quiet_hours),
  from: messaging.quiet_hours?.from ?? '21:00',
  to: messaging.quiet_hours?.to ?? '08:00',
  applies_to: messaging.quiet_hours?.applies_to ?? 'initiated',
});
type Fields = ReturnType<typeof fieldsOf>;
type MessagingForm = ReturnType<typeof useForm<Fields, Agent>>;

const messagingOf = (fields: Fields): Messaging => ({
  reply_mode: fields.reply_mode,
  reply_delay_seconds: fields.reply_delay_seconds === '' ? null : Number(fields.reply_delay_seconds),
  replies_per_hour: Number(fields.replies_per_hour),
  replies_per_day: Number(fields.replies_per_day),
  human_pause_minutes: Number(fields.human_pause_minutes),
  history_messages: Number(fields.history_messages),
  include_calls: fields.include_calls,
  link_hosts: splitList(fields.link_hosts),
  fallback_message: fields.fallback_message || null,
  hand_over_to: fields.hand_over_to || null,
  quiet_hours: fields.has_quiet_hours
    ? { from: fields.from, to: fields.to, applies_to: fields.applies_to }
    : null,
});

const numbers = [
  ['replies_per_hour', 'Replies per hour and conversation', 1, 60],
  ['replies_per_day', 'Replies per day and conversation', 1, 200],
  ['human_pause_minutes', 'Silent for minutes after a person wrote', 0, 10_080],
  ['history_messages', 'Earlier messages it reads', 1, 100],
] as const;

const Numbers = ({ form }: { form: MessagingForm }) => (
  <div className="grid two">
    {numbers.map(([name, label, min, max]) => (
      <TextInput key={name} type="number" min={min} max={max} label={label} {...form.field(name)} required />
    ))}
  </div>
);

const QuietHours = ({ form }: { form: MessagingForm }) => (
  <fieldset className="plain stack tight">
    <Checkbox label="It is silent at night" {...form.checkbox('has_quiet_hours')} />
    {form.fields.has_quiet_hours && (
      <div className="row">
        <TextInput label="Silent from" type="time" {...form.field('from')} required />
        <TextInput label="Silent until" type="time" {...form.field('to')} required />
        <NativeSelect
          label="Applies to"
          {...form.field('applies_to')}
          data={[
            { value: 'initiated', label: 'What it begins itself' },
            { value: 'all', label: 'Replies too' },
          ]}
        />
      </div>
    )}
  </fieldset>
);

export function MessagingForm({ agent }: { agent: Agent }) {
  const form: MessagingForm = useStoredForm(
    fieldsOf(agent.messaging),
    (fields) => parley.agents.update(agent.id, { messaging: messagingOf(fields) }),
    { draft: `${agent.id}/replies`, changes: ['agents'], message: 'The replies are saved.' },
  );
  return (
    <Form action={form} submit="Save replies">
      <NativeSelect
        label="Replies"
        {...form.field('reply_mode')}
        data={[
          { value: 'send', label: 'Are sent' },
          { value: 'approve', label: 'Wait for an approval' },
          { value: 'approve_first', label: 'Wait for an approval when they are the first to a stranger' },
        ]}
      />
      <TextInput
        type="number"
        min={0}
        max={600}
        label="Waits seconds before it replies"
        placeholder="3 for texts, 30 for emails"
        {...form.field('reply_delay_seconds')}
      />
      <Numbers form={form} />
      <Checkbox label="It knows the summaries of the person’s calls" {...form.checkbox('include_calls')} />
      <QuietHours form={form} />
      <Textarea
        label="Hosts that it may link to"
        placeholder="example.com"
        autosize
        {...form.field('link_hosts')}
      />
      <Textarea
        label="Reply when its model fails"
        placeholder="none"
        autosize
        {...form.field('fallback_message')}
      />
      <NativeSelect
        label="Tell this destination when it hands over"
        description="By email, when no person answers for 15 minutes."
        {...form.field('hand_over_to')}
        data={[
          { value: '', label: 'None' },
          ...agent.destinations
            .filter(({ email }) => email)
            .map(({ name }) => ({ value: name, label: name })),
        ]}
      />
    </Form>
  );
}
