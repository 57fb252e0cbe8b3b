// Contact rules: whether a recorded consent is needed, how far a STOP applies, and how many people are contacted how often.
import { NativeSelect, TextInput } from '@mantine/core';
import type { ContactRules, ContactRulesSet } from '@parley/sdk';
import { useQuery } from '@tanstack/react-query';
import { Form, splitList } from '../../parts/form.tsx';
import { OperatorKeyField, OperatorKeyInUse } from '../../parts/operator-key.tsx';
import { Card, Page, Read } from '../../parts/page.tsx';
import { parley, parleyAsPerson } from '../../session/client.ts';
import { useStoredForm } from '../../state/use-stored-form.ts';

const modes = [
  { value: 'warrant', label: 'The confirmation in the request is enough' },
  { value: 'recorded', label: 'A recorded consent must exist as well' },
];
const scopes = [
  { value: 'channel', label: 'Only the channel on which it was said' },
  { value: 'phone', label: 'Texts and calls to that number' },
  { value: 'all', label: 'Every number and address of the contact' },
];

/** An empty field is no limit. */
const limitOf = (text: string) => (text === '' ? null : Number(text));
const textOf = (limit: number | null) => (limit === null ? '' : String(limit));

const fieldsOf = (rules: ContactRules) => ({
  consent: rules.consent as string,
  stop_scope: rules.stop_scope as string,
  new_recipients_per_day: textOf(rules.new_recipients_per_day),
  messages_per_person_per_day: textOf(rules.messages_per_person_per_day),
  destinations: rules.destinations?.join(', ') ?? '',
});

const rulesOf = (fields: ReturnType<typeof fieldsOf>) =>
  ({
    consent: fields.consent,
    stop_scope: fields.stop_scope,
    new_recipients_per_day: limitOf(fields.new_recipients_per_day),
    messages_per_person_per_day: limitOf(fields.messages_per_person_per_day),
    destinations: fields.destinations.trim() === '' ? null : splitList(fields.destinations.toUpperCase()),
  }) as ContactRulesSet;

function RulesForm({ rules }: { rules: ContactRules }) {
  const form = useStoredForm(
    fieldsOf(rules),
    // The request replaces all rules, so the others are read first: somebody else may have changed them.
    async (_, changed) => {
      const now = fieldsOf(await parley.contactRules.get());
      return parleyAsPerson.contactRules.set(rulesOf({ ...now, ...changed }));
    },
    {
      changes: ['contact-rules', 'consents'],
      message: 'The contact rules are saved. They apply within a second.',
    },
  );
  return (
    <Form action={form} submit="Save contact rules">
      <NativeSelect label="Before somebody is contacted" {...form.field('consent')} data={modes} />
      <NativeSelect
        label="A person who says stop is no longer sent"
        {...form.field('stop_scope')}
        data={scopes}
      />
      <TextInput
        type="number"
        min={0}
        label="New recipients per day and channel"
        description="New: no contact that a person vouched for, and nothing was exchanged in 365 days. Empty: no limit."
        {...form.field('new_recipients_per_day')}
      />
      <TextInput
        type="number"
        min={1}
        label="Messages per person, day and channel"
        description="Without an answer in between, which stops loops. Empty: no limit."
        {...form.field('messages_per_person_per_day')}
      />
      <TextInput
        label="Countries of numbers that are called and texted"
        description="Two-letter codes such as PT, US, within those of the server. Empty: as the server allows."
        {...form.field('destinations')}
      />
      <OperatorKeyField error={form.error} />
    </Form>
  );
}

export function ContactRulesPage() {
  const rules = useQuery({ queryKey: ['contact-rules'], queryFn: () => parley.contactRules.get() });
  return (
    <Page
      title="Contact rules"
      about="What must be true before somebody is contacted, how far a STOP applies, and how often people are contacted. Days are days in UTC."
      actions={<OperatorKeyInUse />}
    >
      <Card>
        <Read query={rules}>{(found) => <RulesForm rules={found} />}</Read>
      </Card>
    </Page>
  );
}
