// The forms that create, change and delete a budget.
import { NativeSelect, TextInput } from '@mantine/core';
import type { Budget, BudgetCreate } from '@parley/sdk';
import { humanize } from '../../parts/badge.tsx';
import { Form } from '../../parts/form.tsx';
import { OperatorKeyField } from '../../parts/operator-key.tsx';
import { parleyAsPerson } from '../../session/client.ts';
import { facts } from '../../session/facts.ts';
import { useAction } from '../../state/use-action.tsx';
import { useForm } from '../../state/use-form.ts';
import type { Names, SubjectKind } from '../organization/subject-names.ts';

const kinds: { value: SubjectKind; label: string; managed?: true }[] = [
  { value: 'organization', label: 'The organization' },
  { value: 'agent', label: 'An agent' },
  { value: 'api_key', label: 'An API key' },
  { value: 'oauth_grant', label: 'A connected app', managed: true },
];
const options = (values: readonly string[]) => values.map((value) => ({ value, label: humanize(value) }));

/** An empty field is no limit. */
const limitsOf = ({ max_count, dollars }: { max_count: string; dollars: string }) => ({
  max_count: max_count === '' ? null : Number(max_count),
  max_amount_micros: dollars === '' ? null : Math.round(Number(dollars) * 1e6),
});
type LimitFields = { max_count: string; dollars: string };

function LimitInputs({ form }: { form: ReturnType<typeof useForm<LimitFields, unknown>> }) {
  return (
    <>
      <TextInput
        type="number"
        min={0}
        label="Calls and messages"
        description="Empty: no limit in count."
        {...form.field('max_count')}
      />
      <TextInput
        type="number"
        min={0}
        step="any"
        label="Cost in dollars"
        description="By the price list of the server. Empty: no limit in money."
        {...form.field('dollars')}
        error={form.fieldError('max_amount_micros')}
      />
      <OperatorKeyField error={form.error} />
    </>
  );
}

export function CreateBudget({ names, close }: { names: Names; close(): void }) {
  const form = useForm(
    { kind: 'organization', id: '', channel: 'all', window: 'day', max_count: '', dollars: '' },
    ({ kind, id, channel, window, ...fields }, options) =>
      parleyAsPerson.budgets.create(
        {
          subject: { kind, id: kind === 'organization' ? null : id },
          channel,
          window,
          ...limitsOf(fields),
        } as BudgetCreate,
        options,
      ),
    { changes: ['budgets'], message: 'The budget is set.', done: close },
  );
  const { kind } = form.fields;
  const offered = kind === 'organization' ? [] : [...names[kind as Exclude<SubjectKind, 'organization'>]];
  return (
    <Form action={form} submit="Set budget">
      <NativeSelect
        label="For"
        {...form.field('kind')}
        data={kinds.filter(({ managed }) => !managed || facts.is_managed)}
      />
      {kind !== 'organization' && (
        <NativeSelect
          label="Which one"
          {...form.field('id')}
          error={form.fieldError('subject')}
          data={[{ value: '', label: 'Choose one' }, ...offered.map(([value, label]) => ({ value, label }))]}
          required
        />
      )}
      <NativeSelect
        label="Channel"
        {...form.field('channel')}
        data={options(['all', 'calls', 'emails', 'sms'])}
      />
      <NativeSelect label="Per" {...form.field('window')} data={options(['hour', 'day', 'month'])} />
      <LimitInputs form={form as never} />
    </Form>
  );
}

export function ChangeBudget({ budget, close }: { budget: Budget; close(): void }) {
  const { id, max_count, max_amount_micros } = budget;
  const form = useForm(
    {
      max_count: max_count === null ? '' : String(max_count),
      dollars: max_amount_micros === null ? '' : String(max_amount_micros / 1e6),
    },
    (fields) => parleyAsPerson.budgets.update(id, limitsOf(fields)),
    { changes: ['budgets'], message: 'The budget was changed.', done: close },
  );
  return (
    <Form action={form} submit="Save">
      <LimitInputs form={form as never} />
    </Form>
  );
}

export function DeleteBudget({ budget, close }: { budget: Budget; close(): void }) {
  const action = useAction(() => parleyAsPerson.budgets.delete(budget.id), {
    changes: ['budgets'],
    message: 'The budget was deleted.',
    done: close,
  });
  return (
    <Form action={action} submit="Delete budget">
      <p style={{ margin: 0 }}>Without it, only the other budgets and limits apply.</p>
      <OperatorKeyField error={action.error} />
    </Form>
  );
}
