// The form for a new text.
import { Textarea, TextInput } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { Consent } from '../../parts/consent.tsx';
import { Form, withoutEmpty } from '../../parts/form.tsx';
import { OwnNumber } from '../../parts/own-number.tsx';
import { SegmentCount } from '../../parts/segment-count.tsx';
import { parley } from '../../session/client.ts';
import { facts } from '../../session/facts.ts';
import { useForm } from '../../state/use-form.ts';

export function SmsForm({ to: first }: { to: string }) {
  const navigate = useNavigate();
  const form = useForm(
    { to: first || (facts.is_sandbox ? '+15005550007' : ''), from: '', body: '', recipient_consent: false },
    ({ to, from, body, recipient_consent }, options) =>
      parley.sms.create(
        { to, body, recipient_consent: recipient_consent as true, ...withoutEmpty({ from }) },
        options,
      ),
    {
      changes: ['sms'],
      message: 'The text was queued.',
      done: ({ conversation_id }) =>
        void navigate({ to: '/sms', search: { conversation: conversation_id } as never }),
    },
  );
  return (
    <Form action={form} submit="Send text">
      <TextInput
        label="To"
        description={
          facts.is_sandbox
            ? '+15005550007 replies with the same text; 0002 is undelivered, 0003 fails.'
            : 'With the country code.'
        }
        {...form.field('to')}
        required
      />
      <OwnNumber can="sms" {...form.field('from')} />
      <div className="stack tight">
        <Textarea label="Text" autosize minRows={3} {...form.field('body')} required />
        <SegmentCount text={form.fields.body} />
      </div>
      <Consent {...form.checkbox('recipient_consent')} />
    </Form>
  );
}
