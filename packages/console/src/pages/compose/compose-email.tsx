// The form for a new email, with files.
import { Button, NativeSelect, SegmentedControl, Textarea, TextInput } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import type { ComponentProps } from 'react';
import { Attachments, useAttachments } from '../../parts/attachments.tsx';
import { Consent } from '../../parts/consent.tsx';
import { Form, splitList, withoutEmpty } from '../../parts/form.tsx';
import { parley } from '../../session/client.ts';
import { facts } from '../../session/facts.ts';
import { useDomains } from '../../state/reads.ts';
import { useForm } from '../../state/use-form.ts';

const outcomes = [
  'delivered',
  'bounced',
  'softbounced',
  'complained',
  'delayed',
  'rejected',
  'opened',
  'clicked',
];

const first_fields = { from: '', subject: '', kind: 'text', body: '', recipient_consent: false };
type Fields = typeof first_fields & { to: string };

const bodyOf = (fields: Fields, attachment_ids: string[]) => ({
  to: splitList(fields.to),
  subject: fields.subject,
  recipient_consent: fields.recipient_consent as true,
  ...withoutEmpty({
    from: fields.from,
    body_text: fields.kind === 'text' ? fields.body : '',
    body_html: fields.kind === 'html' ? fields.body : '',
    attachment_ids: attachment_ids.length > 0 ? attachment_ids : undefined,
  }),
});

export function EmailForm({ to }: { to: string }) {
  const navigate = useNavigate();
  const domains = useDomains();
  const attachments = useAttachments(() => {
    form.renewKey();
  });
  const form = useForm(
    { ...first_fields, to },
    (fields, options) => parley.emails.create(bodyOf(fields, attachments.ids), options),
    {
      changes: ['emails'],
      message: ({ hold, to_addresses }) =>
        hold ? `It is on hold. ${hold.message}` : `Sent to ${to_addresses.join(', ')}.`,
      done: ({ id }) => void navigate({ to: `/emails/${id}` }),
    },
  );

  return (
    <Form action={form} submit="Send email" must_wait={attachments.busy}>
      <TextInput
        label="To"
        description="Several addresses are separated by commas."
        {...form.field('to')}
        required
      />
      {facts.is_sandbox && <SandboxRecipients onChoose={(address) => form.set({ to: address })} />}
      <NativeSelect
        label="From"
        {...form.field('from')}
        data={[
          { value: '', label: 'The newest verified domain' },
          ...(domains.data ?? [])
            .filter(({ verification_status }) => verification_status === 'verified')
            .map(({ default_address }) => ({ value: default_address, label: default_address })),
        ]}
      />
      <TextInput label="Subject" {...form.field('subject')} required />
      <BodyField kind={form.fields.kind} onKind={(kind) => form.set({ kind })} field={form.field('body')} />
      <Attachments attachments={attachments} />
      <Consent {...form.checkbox('recipient_consent')} />
    </Form>
  );
}

const SandboxRecipients = ({ onChoose }: { onChoose(address: string): void }) => (
  <div className="row small">
    <span className="muted">With a fixed result:</span>
    {outcomes.map((name) => (
      <Button key={name} size="compact-xs" variant="default" onClick={() => onChoose(`${name}@sandbox.test`)}>
        {name}
      </Button>
    ))}
  </div>
);

function BodyField({
  kind,
  onKind,
  field,
}: {
  kind: string;
  onKind(kind: string): void;
  field: ComponentProps<typeof Textarea>;
}) {
  return (
    <div className="stack tight">
      <SegmentedControl
        size="xs"
        aria-label="Kind of body"
        value={kind}
        onChange={onKind}
        style={{ alignSelf: 'flex-start' }}
        data={[
          { value: 'text', label: 'Text' },
          { value: 'html', label: 'HTML' },
        ]}
      />
      <Textarea
        label={kind === 'text' ? 'Text' : 'HTML'}
        autosize
        minRows={6}
        maxRows={20}
        {...field}
        styles={kind === 'html' ? { input: { fontFamily: 'monospace' } } : {}}
      />
    </div>
  );
}
