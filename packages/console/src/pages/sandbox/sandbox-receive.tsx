// Simulates an inbound email, text or call.
import { NativeSelect, Textarea, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { Form, withoutEmpty } from '../../parts/form.tsx';
import { useOwnNumbers } from '../../parts/own-number.tsx';
import { Empty } from '../../parts/page.tsx';
import { parley } from '../../session/client.ts';
import { own_phone } from '../../state/examples.ts';
import { useDomains, useNumbers } from '../../state/reads.ts';
import { useForm } from '../../state/use-form.ts';

type FirstEmail = { from: string; to: string; subject: string; email_id: string };

/** With `first` it is a reply to that email. */
export function EmailInForm({ close, first }: { close(): void; first?: FirstEmail }) {
  const navigate = useNavigate();
  const domains = useDomains();
  const form = useForm(
    {
      from: first?.from ?? 'Bob <bob@example.org>',
      to: first?.to ?? '',
      subject: first?.subject ?? 'Hello',
      body_text: '',
      body_html: '',
    },
    async ({ from, to, subject, ...bodies }) => {
      const answered = first ? await parley.emails.get(first.email_id) : null;
      return parley.sandboxEmails.receive({
        from,
        subject,
        ...withoutEmpty({
          ...bodies,
          to: to ? [to] : undefined,
          in_reply_to: answered?.message_id ?? undefined,
        }),
      });
    },
    {
      changes: ['emails', 'domains'],
      message: 'The email was received.',
      done: ({ id }) => {
        close();
        void navigate({ to: `/emails/${id}` });
      },
    },
  );
  return (
    <Form action={form} submit="Receive email">
      <TextInput label="From" {...form.field('from')} required />
      <NativeSelect
        label="To"
        {...form.field('to')}
        data={[
          { value: '', label: 'Your default address' },
          ...new Set([
            ...(first ? [first.to] : []),
            ...(domains.data ?? []).map(({ default_address }) => default_address),
          ]),
        ]}
      />
      <TextInput label="Subject" {...form.field('subject')} />
      <Textarea label="Text" autosize minRows={3} {...form.field('body_text')} />
      <Textarea label="HTML" autosize minRows={2} {...form.field('body_html')} />
    </Form>
  );
}

export function TextInForm({ close, first }: { close(): void; first?: { from: string; to: string } }) {
  const navigate = useNavigate();
  const own_numbers = useOwnNumbers('sms');
  const sender = useQuery({ queryKey: ['sms', 'sender'], queryFn: () => parley.sms.getSenderId() });
  const choices = [
    ...new Set([
      ...(first ? [first.to] : []),
      ...own_numbers,
      ...(sender.data?.effective_default?.startsWith('+') ? [sender.data.effective_default] : []),
    ]),
  ];
  const form = useForm(
    { from: first?.from ?? '+14155550123', to: first?.to ?? '', body: '' },
    ({ from, to, body }) => parley.sandboxSms.receive({ from, to: to || choices[0] || '', body }),
    {
      changes: ['sms'],
      message: 'The text was received.',
      done: ({ conversation_id }) => {
        close();
        void navigate({ to: '/sms', search: { conversation: conversation_id } as never });
      },
    },
  );
  return (
    <Form action={form} submit="Receive text">
      <TextInput label="From" {...form.field('from')} required />
      <NativeSelect label="To" {...form.field('to')} data={choices} />
      <Textarea label="Text" autosize minRows={2} {...form.field('body')} required />
    </Form>
  );
}

export function CallInForm({ close }: { close(): void }) {
  const navigate = useNavigate();
  const numbers = useNumbers();
  const voice_numbers = (numbers.data ?? []).filter(
    ({ provisioning_state, voice_agent_id }) => provisioning_state === 'active' && voice_agent_id !== null,
  );
  const form = useForm(
    { who: 'person', to: '' },
    ({ who, to }) =>
      parley.sandboxPhone.callIn({
        from: who === 'me' ? own_phone : '+14155550123',
        to: to || voice_numbers[0]?.e164 || '',
      }),
    {
      changes: ['calls', 'phone'],
      message: ({ is_answered }) =>
        is_answered ? 'The call was answered.' : 'The call was declined: no agent answers that number.',
      done: ({ call: created }) => {
        close();
        if (created && form.fields.who !== 'me') void navigate({ to: `/calls/${created.id}` });
      },
    },
  );
  if (numbers.data && voice_numbers.length === 0)
    return (
      <Empty title="No number with an agent yet">
        Buy a number and choose an agent for its calls. Then you can call it.
      </Empty>
    );
  return (
    <Form action={form} submit="Receive call">
      <NativeSelect
        label="Caller"
        {...form.field('who')}
        data={[
          { value: 'person', label: 'A simulated person who has a conversation' },
          { value: 'me', label: 'You, at the phone on this page' },
        ]}
      />
      <NativeSelect label="Number" {...form.field('to')} data={voice_numbers.map(({ e164 }) => e164)} />
    </Form>
  );
}
