// The form of one rule of the approval policy. It changes the draft on the page; saving the policy is a separate step.
import { Checkbox, NativeSelect, TextInput } from '@mantine/core';
import type { ApprovalRule } from '@parley/sdk';
import { Form } from '../../parts/form.tsx';
import { facts } from '../../session/facts.ts';
import { useForm } from '../../state/use-form.ts';
import { type Names, useMembers, useNames } from '../organization/subject-names.ts';
import {
  channel_options,
  condition_options,
  fieldsOf,
  new_rule,
  type Option,
  type RuleFields,
  ruleOf,
} from './approval-rule-fields.ts';

type RuleForm = ReturnType<typeof useForm<RuleFields, ApprovalRule>>;
type ListField = {
  [Name in keyof RuleFields]: RuleFields[Name] extends string[] ? Name : never;
}[keyof RuleFields];

const same = (...values: string[]): Option[] => values.map((value) => ({ value, label: value }));

function Choices({
  form,
  name,
  label,
  options,
}: {
  form: RuleForm;
  name: ListField;
  label: string;
  options: Option[];
}) {
  const chosen = form.fields[name];
  // What was deleted stays visible until somebody removes it from the rule.
  const unknown = chosen.filter((each) => options.every(({ value }) => value !== each));
  return (
    <Checkbox.Group label={label} value={chosen} onChange={(value) => form.set({ [name]: value })}>
      <div className="row" style={{ marginTop: '0.35rem' }}>
        {[...options, ...same(...unknown)].map(({ value, label }) => (
          <Checkbox key={value} value={value} label={label} />
        ))}
      </div>
    </Checkbox.Group>
  );
}

const named = (kind: string, names: Map<string, string>): Option[] =>
  [...names].map(([id, label]) => ({ value: `${kind}:${id}`, label }));

const subjectOptions = (names: Names): Option[] => [
  { value: 'any', label: 'Every key, app and agent' },
  { value: 'agent', label: 'All agents' },
  ...named('agent', names.agent),
  { value: 'api_key', label: 'All API keys' },
  ...named('api_key', names.api_key),
  ...(facts.is_managed
    ? [{ value: 'oauth_grant', label: 'All connected apps' }, ...named('oauth_grant', names.oauth_grant)]
    : []),
];

const Conditions = ({ form }: { form: RuleForm }) => (
  <>
    <Choices
      form={form}
      name="conditions"
      label="When (one condition is enough)"
      options={condition_options}
    />
    <Choices
      form={form}
      name="purposes"
      label="Or when its purpose is"
      options={same('transactional', 'conversational', 'marketing')}
    />
    <div className="grid">
      <TextInput type="number" min={0} label="Or more recipients than" {...form.field('recipients_over')} />
      <TextInput type="number" min={0} label="Or in a batch of more than" {...form.field('batch_over')} />
      <TextInput
        type="number"
        min={0}
        step="any"
        label="Or costs more dollars than"
        {...form.field('dollars_over')}
      />
    </div>
  </>
);

function Deciding({ form }: { form: RuleForm }) {
  const members = useMembers();
  return (
    <>
      <Choices
        form={form}
        name="approvers"
        label="Who decides (owners always can)"
        options={[
          { value: 'role:owner', label: 'Owners' },
          { value: 'role:admin', label: 'Admins' },
          { value: 'role:member', label: 'All members' },
          ...named('member', members),
        ]}
      />
      <Choices
        form={form}
        name="decide_by"
        label="How"
        options={[
          { value: 'console', label: 'In the console' },
          { value: 'link', label: 'By a mailed link' },
        ]}
      />
      <TextInput
        type="number"
        min={0.1}
        max={168}
        step="any"
        label="Expires after hours"
        {...form.field('hours')}
        required
      />
    </>
  );
}

export function RuleForm({ rule, save }: { rule: ApprovalRule | null; save(rule: ApprovalRule): void }) {
  const names = useNames();
  const form = useForm(rule ? fieldsOf(rule) : new_rule, async (fields) => ruleOf(fields), { done: save });
  return (
    <Form action={form} submit={rule ? 'Change rule' : 'Add rule'}>
      <TextInput label="Name" maxLength={100} {...form.field('name')} required />
      <Choices form={form} name="subjects" label="For" options={subjectOptions(names)} />
      <Choices form={form} name="channels" label="Channels" options={channel_options} />
      <Conditions form={form} />
      <NativeSelect
        label="Then"
        {...form.field('then')}
        data={[
          { value: 'hold', label: 'Hold it until a person approves' },
          { value: 'refuse', label: 'Refuse it' },
          { value: 'allow', label: 'Allow it' },
        ]}
      />
      {form.fields.then === 'hold' && <Deciding form={form} />}
    </Form>
  );
}
