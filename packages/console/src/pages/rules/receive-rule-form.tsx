// The form that creates or changes a receive rule.
import { NativeSelect, TextInput } from '@mantine/core';
import type { ReceiveRule, ReceiveRuleCreate } from '@parley/sdk';
import { Form } from '../../parts/form.tsx';
import { parley } from '../../session/client.ts';
import { useForm } from '../../state/use-form.ts';

type Fields = {
  channel: string;
  match_kind: string;
  match_value: string;
  scope_value: string;
  applies_to: string;
  action: string;
  /** Separated by spaces or commas. */
  labels: string;
  note: string;
};

const channels = [
  { value: 'email', label: 'Emails' },
  { value: 'sms', label: 'Texts' },
  { value: 'call', label: 'Calls' },
];
const everyone = { value: 'everyone', label: 'Everyone' };
const mail_matches = [
  { value: 'address', label: 'One address' },
  { value: 'domain', label: 'A domain' },
  everyone,
];
const phone_matches = [
  { value: 'number', label: 'One number' },
  { value: 'country', label: 'A country' },
  everyone,
];
const value_labels: Record<string, string> = {
  address: 'Address',
  domain: 'Domain, with its subdomains',
  number: 'Number',
  country: 'Country, such as US',
};
const actions = (is_mail: boolean) => [
  { value: 'block', label: 'Block' },
  ...(is_mail ? [{ value: 'quarantine', label: 'Put into quarantine' }] : []),
  { value: 'allow', label: 'Allow' },
];

const listOf = (labels: string) => labels.split(/[\s,]+/).filter((label) => label !== '');

const createOf = (fields: Fields): ReceiveRuleCreate =>
  ({
    channel: fields.channel,
    match: {
      kind: fields.match_kind,
      ...(fields.match_kind === 'everyone' ? {} : { value: fields.match_value }),
    },
    ...(fields.scope_value && {
      scope: { kind: fields.channel === 'email' ? 'address' : 'number', value: fields.scope_value },
    }),
    applies_to: fields.applies_to,
    action: fields.action,
    labels: listOf(fields.labels),
    note: fields.note || null,
  }) as ReceiveRuleCreate;

const patchOf = ({ applies_to, action, labels, note }: Fields) => ({
  applies_to: applies_to as ReceiveRule['applies_to'],
  action: action as ReceiveRule['action'],
  labels: listOf(labels),
  note: note || null,
});

/** Without a rule, it creates one. What a rule is about cannot be changed. */
export function ReceiveRuleForm({ rule, close }: { rule?: ReceiveRule; close(): void }) {
  const form = useForm<Fields, ReceiveRule>(
    {
      channel: rule?.channel ?? 'email',
      match_kind: rule?.match.kind ?? 'address',
      match_value: rule?.match.value ?? '',
      scope_value: rule?.scope.value ?? '',
      applies_to: rule?.applies_to ?? 'all',
      action: rule?.action ?? 'block',
      labels: rule?.labels.join(' ') ?? '',
      note: rule?.note ?? '',
    },
    (fields) =>
      rule
        ? parley.receiveRules.update(rule.id, patchOf(fields))
        : parley.receiveRules.create(createOf(fields)),
    { changes: ['receive-rules'], message: 'The rule applies within two seconds.', done: close },
  );
  const is_mail = form.fields.channel === 'email';
  return (
    <Form action={form} submit={rule ? 'Save' : 'Create'}>
      {!rule && <AboutInputs form={form} is_mail={is_mail} />}
      <NativeSelect label="Action" {...form.field('action')} data={actions(is_mail)} />
      {is_mail && (
        <NativeSelect
          label="Applies to"
          {...form.field('applies_to')}
          data={[
            { value: 'all', label: 'All emails' },
            { value: 'new', label: 'Only new ones' },
            { value: 'reply', label: 'Only replies to yours' },
          ]}
        />
      )}
      {form.fields.channel !== 'call' && <TextInput label="Labels to set" {...form.field('labels')} />}
      <TextInput label="Note" {...form.field('note')} />
    </Form>
  );
}

function AboutInputs({
  form,
  is_mail,
}: {
  form: ReturnType<typeof useForm<Fields, ReceiveRule>>;
  is_mail: boolean;
}) {
  const { match_kind } = form.fields;
  return (
    <>
      <NativeSelect
        label="Channel"
        value={form.fields.channel}
        onChange={(event) => {
          const channel = event.currentTarget.value;
          const kind = channel === 'email' ? 'address' : 'number';
          form.set({ channel, match_kind: kind, action: 'block', applies_to: 'all' });
        }}
        data={channels}
      />
      <NativeSelect
        label="From"
        {...form.field('match_kind')}
        data={is_mail ? mail_matches : phone_matches}
      />
      {match_kind !== 'everyone' && (
        <TextInput
          label={value_labels[match_kind]}
          {...form.field('match_value')}
          error={form.fieldError('match.value')}
          required
        />
      )}
      <TextInput
        label={is_mail ? 'Only to this address of yours' : 'Only to this number of yours'}
        description="Empty: to all."
        {...form.field('scope_value')}
        error={form.fieldError('scope.value')}
      />
    </>
  );
}
